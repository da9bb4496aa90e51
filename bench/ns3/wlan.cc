// The packaged scenario bench/wlan in ns-3: n stations of an 802.11b network upload over NewReno.
// usage: wlan STATIONS SECONDS     prints: segments delivered, goodput in bit/s from 1 s on
#include "uploads.h"

using namespace ns3;

namespace {

/// Returns the access point's device first.
NetDeviceContainer Air(Ptr<Node> ap, const NodeContainer& stations)
{
    Config::SetDefault("ns3::WifiMacQueue::MaxSize", StringValue("100p"));
    // Frames never expire in the queue, as in ns-2.
    Config::SetDefault("ns3::WifiMacQueue::MaxDelay", TimeValue(Seconds(1000)));
    YansWifiPhyHelper phy = bench::StrongPhy();
    // ControlMode applies to RTS only, and nobody sends RTS. ACKs use 2 Mb/s, the fastest basic rate that an AP of ns-3 announces.
    WifiHelper wifi;
    wifi.SetStandard(WIFI_STANDARD_80211b);
    wifi.SetRemoteStationManager("ns3::ConstantRateWifiManager",
                                 "DataMode",
                                 StringValue("DsssRate11Mbps"),
                                 "ControlMode",
                                 StringValue("DsssRate1Mbps"));
    WifiMacHelper mac;
    const SsidValue ssid(Ssid("bench"));
    mac.SetType("ns3::ApWifiMac", "Ssid", ssid, "QosSupported", BooleanValue(false));
    NetDeviceContainer devices = wifi.Install(phy, mac, ap);
    mac.SetType("ns3::StaWifiMac", "Ssid", ssid, "QosSupported", BooleanValue(false));
    devices.Add(wifi.Install(phy, mac, stations));
    return devices;
}

} // namespace

int main(int, char** argv)
{
    bench::Upload(argv, Air, {"100Mbps", "10ms", "100p"}, 0);
}
