// The packaged scenario bench/ax in ns-3: n stations of an 802.11ax network upload over NewReno.
// usage: ax STATIONS SECONDS     prints: segments delivered, goodput in bit/s from 1 s on
#include "tcp.h"

#include "ns3/mobility-module.h"
#include "ns3/point-to-point-module.h"
#include "ns3/traffic-control-module.h"
#include "ns3/wifi-module.h"

#include <cstdlib>

using namespace ns3;

namespace {

/// Stations need some time to associate: everything begins later by this, in s, and lasts as long.
constexpr double ASSOCIATION = 2;

/// Returns the access point's device first. Every frame is strong enough, wherever the stations are.
NetDeviceContainer Air(Ptr<Node> ap, const NodeContainer& stations)
{
    Config::SetDefault("ns3::WifiMacQueue::MaxSize", StringValue("500p"));
    Config::SetDefault("ns3::WifiMacQueue::MaxDelay", TimeValue(Seconds(1000)));
    // As in fidelity/ns3/wifi.cc, which says why: frames are sent again until they arrive, and themselves instead of a request.
    Config::SetDefault("ns3::WifiRemoteStationManager::MaxSsrc", UintegerValue(255));
    Config::SetDefault("ns3::WifiRemoteStationManager::MaxSlrc", UintegerValue(255));
    Config::SetDefault("ns3::QosTxop::UseExplicitBarAfterMissedBlockAck", BooleanValue(false));
    YansWifiChannelHelper channel;
    channel.SetPropagationDelay("ns3::ConstantSpeedPropagationDelayModel");
    channel.AddPropagationLoss("ns3::FixedRssLossModel", "Rss", DoubleValue(-40));
    YansWifiPhyHelper phy;
    phy.SetChannel(channel.Create());
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
    MobilityHelper mobility;
    mobility.SetPositionAllocator("ns3::GridPositionAllocator", "DeltaX", DoubleValue(0.1), "DeltaY", DoubleValue(0.1));
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
    link.SetDeviceAttribute("DataRate", StringValue("10Gbps"));
    link.SetChannelAttribute("Delay", StringValue("1ms"));
    link.SetQueue("ns3::DropTailQueue", "MaxSize", StringValue("1000p"));
    const NetDeviceContainer wire = link.Install(ap.Get(0), server.Get(0));
    bench::InstallStack(NodeContainer(ap, server, stations));
    const Ipv4InterfaceContainer hosts = Ipv4AddressHelper("10.1.0.0", "255.255.0.0").Assign(air);
    NeighborCacheHelper().PopulateNeighborCache(hosts);
    const Ipv4Address address = Ipv4AddressHelper("10.2.0.0", "255.255.0.0").Assign(wire).GetAddress(1);
    TrafficControlHelper().Uninstall(NetDeviceContainer(air, wire));
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();
    bench::Flows all;
    for (uint32_t i = 0; i < count; i++)
    {
        all.Add(stations.Get(i), server.Get(0), address, ASSOCIATION + 1.0 + 1.0 * i / count);
    }
    all.Run(ASSOCIATION + seconds, seconds - 1);
    Simulator::Destroy();
}
