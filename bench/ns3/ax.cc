// The packaged scenario bench/ax in ns-3: n stations of an 802.11ax network upload over NewReno.
// usage: ax STATIONS SECONDS     prints: segments delivered, goodput in bit/s from 1 s on
#include "uploads.h"

using namespace ns3;

namespace {

/// Stations need some time to associate: everything begins later by this, in s, and lasts as long.
constexpr double ASSOCIATION = 2;

/// Returns the access point's device first.
NetDeviceContainer Air(Ptr<Node> ap, const NodeContainer& stations)
{
    Config::SetDefault("ns3::WifiMacQueue::MaxSize", StringValue("500p"));
    Config::SetDefault("ns3::WifiMacQueue::MaxDelay", TimeValue(Seconds(1000)));
    // As in fidelity/ns3/wifi.cc, which says why: frames are sent again until they arrive, and themselves instead of a request.
    Config::SetDefault("ns3::WifiRemoteStationManager::MaxSsrc", UintegerValue(255));
    Config::SetDefault("ns3::WifiRemoteStationManager::MaxSlrc", UintegerValue(255));
    Config::SetDefault("ns3::QosTxop::UseExplicitBarAfterMissedBlockAck", BooleanValue(false));
    YansWifiPhyHelper phy = bench::StrongPhy();
    phy.Set("ChannelSettings", StringValue("{0, 20, BAND_5GHZ, 0}"));
    WifiHelper wifi;
    wifi.SetStandard(WIFI_STANDARD_80211ax);
    wifi.SetRemoteStationManager("ns3::ConstantRateWifiManager",
                                 "DataMode",
                                 StringValue("HeMcs11"),
                                 "ControlMode",
                                 StringValue("OfdmRate24Mbps"));
    WifiMacHelper mac;
    const SsidValue ssid(Ssid("bench"));
    mac.SetType("ns3::ApWifiMac", "Ssid", ssid);
    NetDeviceContainer devices = wifi.Install(phy, mac, ap);
    mac.SetType("ns3::StaWifiMac", "Ssid", ssid);
    devices.Add(wifi.Install(phy, mac, stations));
    for (uint32_t i = 0; i < devices.GetN(); i++)
    {
        const auto device = DynamicCast<WifiNetDevice>(devices.Get(i));
        device->GetMac()->SetAttribute("BE_MaxAmpduSize", UintegerValue(65535));
        device->GetHeConfiguration()->SetMpduBufferSize(256);
        device->GetHeConfiguration()->SetGuardInterval(NanoSeconds(800));
    }
    return devices;
}

} // namespace

int main(int, char** argv)
{
    bench::Upload(argv, Air, {"10Gbps", "1ms", "1000p"}, ASSOCIATION);
}
