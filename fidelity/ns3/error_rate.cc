// How likely ns-3 3.37 loses a frame of so many bytes: with OFDM by its NIST model (Miller 2003; Pei & Henderson 2010), with DSSS by its
// DsssErrorRateModel. SNR_dB is that over 20 MHz, with DSSS over 22 MHz.
// usage: error_rate [dsss]     prints lines: MODE,BYTES,SNR_dB,CHANCE
#include "ns3/core-module.h"
#include "ns3/wifi-module.h"

#include <cmath>
#include <cstdio>

using namespace ns3;

namespace {

void Print(WifiMode mode, uint32_t bytes)
{
    auto nist = CreateObject<NistErrorRateModel>();
    WifiTxVector vector;
    vector.SetMode(mode);
    vector.SetChannelWidth(20);
    vector.SetNss(1);
    for (int snr = -12; snr <= 44; ++snr)
    {
        double chance = 1 - nist->GetChunkSuccessRate(mode, vector, std::pow(10, snr / 10.0), 8 * bytes);
        if (chance > 1e-6 && chance < 1 - 1e-9)
        {
            std::printf("%s,%u,%d,%.6g\n", mode.GetUniqueName().c_str(), bytes, snr, chance);
        }
    }
}

} // namespace

int main(int argc, char**)
{
    for (uint32_t bytes : {14u, 1530u})
    {
        if (argc > 1)
        {
            Print(DsssPhy::GetDsssRate1Mbps(), bytes);
            Print(DsssPhy::GetDsssRate2Mbps(), bytes);
            Print(DsssPhy::GetDsssRate5_5Mbps(), bytes);
            Print(DsssPhy::GetDsssRate11Mbps(), bytes);
            continue;
        }
        Print(OfdmPhy::GetOfdmRate9Mbps(), bytes);
        for (uint8_t mcs = 0; mcs <= 11; ++mcs)
        {
            Print(HePhy::GetHeMcs(mcs), bytes);
        }
        Print(EhtPhy::GetEhtMcs(12), bytes);
        Print(EhtPhy::GetEhtMcs(13), bytes);
    }
}
