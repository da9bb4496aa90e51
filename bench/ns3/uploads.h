// Shared by the programs with a WLAN: stations that upload through an access point to a server on a wire.
#ifndef BENCH_UPLOADS_H
#define BENCH_UPLOADS_H

#include "tcp.h"

#include "ns3/mobility-module.h"
#include "ns3/point-to-point-module.h"
#include "ns3/traffic-control-module.h"
#include "ns3/wifi-module.h"

#include <cstdlib>

namespace bench {

/// The wire between the access point and the server, as ns-3's attributes have it.
struct Wire
{
    const char* rate;
    const char* delay;
    const char* queue;
};

/// Every frame is strong enough, wherever the stations are.
inline ns3::YansWifiPhyHelper StrongPhy()
{
    using namespace ns3;
    YansWifiChannelHelper channel;
    channel.SetPropagationDelay("ns3::ConstantSpeedPropagationDelayModel");
    channel.AddPropagationLoss("ns3::FixedRssLossModel", "Rss", DoubleValue(-40));
    YansWifiPhyHelper phy;
    phy.SetChannel(channel.Create());
    return phy;
}

/// Runs `argv[1]` uploads, which begin one after the other within the second that begins 1 s after `start`, until `argv[2]` seconds
/// after `start`. `air` makes the devices, the access point's first.
inline void Upload(char** argv,
                   ns3::NetDeviceContainer (*air)(ns3::Ptr<ns3::Node>, const ns3::NodeContainer&),
                   const Wire& wire,
                   double start)
{
    using namespace ns3;
    const auto count = static_cast<uint32_t>(std::atoi(argv[1]));
    const double seconds = std::atof(argv[2]);
    SetTcp();
    NodeContainer ap(1);
    NodeContainer server(1);
    NodeContainer stations(count);
    const NetDeviceContainer devices = air(ap.Get(0), stations);
    MobilityHelper mobility;
    mobility.SetPositionAllocator("ns3::GridPositionAllocator", "DeltaX", DoubleValue(1), "DeltaY", DoubleValue(1));
    mobility.Install(NodeContainer(ap, stations));
    PointToPointHelper link;
    link.SetDeviceAttribute("DataRate", StringValue(wire.rate));
    link.SetChannelAttribute("Delay", StringValue(wire.delay));
    link.SetQueue("ns3::DropTailQueue", "MaxSize", StringValue(wire.queue));
    const NetDeviceContainer ends = link.Install(ap.Get(0), server.Get(0));
    InstallStack(NodeContainer(ap, server, stations));
    const Ipv4InterfaceContainer hosts = Ipv4AddressHelper("10.1.0.0", "255.255.0.0").Assign(devices);
    // Fill the address tables: if an ARP reply is lost in the AP's full queue, a station drops all its packets for 100 s.
    NeighborCacheHelper().PopulateNeighborCache(hosts);
    const Ipv4Address address = Ipv4AddressHelper("10.2.0.0", "255.255.0.0").Assign(ends).GetAddress(1);
    // The devices have drop-tail queues; there are no queues above them.
    TrafficControlHelper().Uninstall(NetDeviceContainer(devices, ends));
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();
    Flows all;
    for (uint32_t i = 0; i < count; i++)
    {
        all.Add(stations.Get(i), server.Get(0), address, start + 1.0 + 1.0 * i / count);
    }
    all.Run(start + seconds, seconds - 1);
    Simulator::Destroy();
}

} // namespace bench

#endif
