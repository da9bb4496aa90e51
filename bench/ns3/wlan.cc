// The packaged scenario bench/wlan in ns-3: n stations of an 802.11b network upload over NewReno.
// usage: wlan STATIONS SECONDS     prints: segments delivered, goodput in bit/s from 1 s on
#include "tcp.h"

#include "ns3/mobility-module.h"
#include "ns3/point-to-point-module.h"
#include "ns3/traffic-control-module.h"
#include "ns3/wifi-module.h"

#include <cstdlib>

using namespace ns3;

namespace {

/// Returns the access point's device first. Every frame is strong enough, wherever the stations are.
NetDeviceContainer Air(Ptr<Node> ap, const NodeContainer& stations)
{
    Config::SetDefault("ns3::WifiMacQueue::MaxSize", StringValue("100p"));
    // Frames never expire in the queue, as in ns-2.
    Config::SetDefault("ns3::WifiMacQueue::MaxDelay", TimeValue(Seconds(1000)));
    YansWifiChannelHelper channel;
    channel.SetPropagationDelay("ns3::ConstantSpeedPropagationDelayModel");
    channel.AddPropagationLoss("ns3::FixedRssLossModel", "Rss", DoubleValue(-40));
    YansWifiPhyHelper phy;
    phy.SetChannel(channel.Create());
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
    MobilityHelper mobility;
    mobility.SetPositionAllocator("ns3::GridPositionAllocator", "DeltaX", DoubleValue(1), "DeltaY", DoubleValue(1));
    mobility.Install(NodeContainer(NodeContainer(ap), stations));
    return devices;
}

} // namespace

int main(int, char** argv)
{
    const auto count = static_cast<uint32_t>(std::atoi(argv[1]));
    const double seconds = std::atof(argv[2]);
    bench::SetTcp();
    NodeContainer ap(1);
    NodeContainer server(1);
    NodeContainer stations(count);
    const NetDeviceContainer air = Air(ap.Get(0), stations);
    PointToPointHelper link;
    link.SetDeviceAttribute("DataRate", StringValue("100Mbps"));
    link.SetChannelAttribute("Delay", StringValue("10ms"));
    link.SetQueue("ns3::DropTailQueue", "MaxSize", StringValue("100p"));
    const NetDeviceContainer wire = link.Install(ap.Get(0), server.Get(0));
    bench::InstallStack(NodeContainer(ap, server, stations));
    const Ipv4InterfaceContainer hosts = Ipv4AddressHelper("10.1.0.0", "255.255.0.0").Assign(air);
    // Fill the address tables: if an ARP reply is lost in the AP's full queue, a station drops all its packets for 100 s.
    NeighborCacheHelper().PopulateNeighborCache(hosts);
    const Ipv4Address address = Ipv4AddressHelper("10.2.0.0", "255.255.0.0").Assign(wire).GetAddress(1);
    // The devices have drop-tail queues; there are no queues above them.
    TrafficControlHelper().Uninstall(NetDeviceContainer(air, wire));
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();
    bench::Flows all;
    for (uint32_t i = 0; i < count; i++)
    {
        all.Add(stations.Get(i), server.Get(0), address, 1.0 + 1.0 * i / count);
    }
    all.Run(seconds, seconds - 1);
    Simulator::Destroy();
}
