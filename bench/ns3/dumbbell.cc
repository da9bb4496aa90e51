// The packaged scenario bench/dumbbell in ns-3: n greedy NewReno flows over a shared link.
// usage: dumbbell FLOWS SECONDS     prints: segments delivered, goodput in bit/s
#include "tcp.h"

#include "ns3/point-to-point-module.h"
#include "ns3/traffic-control-module.h"

#include <cstdlib>

using namespace ns3;

namespace {

/// Joins two nodes in a network of their own. The devices have drop-tail queues; there are no queues above them.
Ipv4Address Wire(Ptr<Node> from, Ptr<Node> to, const char* rate, const char* delay, const char* queue)
{
    static Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.252");
    PointToPointHelper link;
    link.SetDeviceAttribute("DataRate", StringValue(rate));
    link.SetChannelAttribute("Delay", StringValue(delay));
    link.SetQueue("ns3::DropTailQueue", "MaxSize", StringValue(queue));
    const NetDeviceContainer devices = link.Install(from, to);
    const Ipv4Address address = addresses.Assign(devices).GetAddress(1);
    addresses.NewNetwork();
    TrafficControlHelper().Uninstall(devices);
    return address;
}

} // namespace

int main(int, char** argv)
{
    const auto flows = static_cast<uint32_t>(std::atoi(argv[1]));
    const double seconds = std::atof(argv[2]);
    bench::SetTcp();
    NodeContainer routers(2);
    NodeContainer sources(flows);
    NodeContainer sinks(flows);
    bench::InstallStack(NodeContainer(routers, sources, sinks));
    Wire(routers.Get(0), routers.Get(1), "100Mbps", "10ms", "200p");
    bench::Flows all;
    for (uint32_t i = 0; i < flows; i++)
    {
        Wire(sources.Get(i), routers.Get(0), "1Gbps", "1ms", "1000p");
        const Ipv4Address address = Wire(routers.Get(1), sinks.Get(i), "1Gbps", "1ms", "1000p");
        all.Add(sources.Get(i), sinks.Get(i), address, 1.0 * i / flows);
    }
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();
    all.Run(seconds, seconds);
    Simulator::Destroy();
}
