// Networks of 802.11ax with places on one channel in ns-3 3.37: saturated UDP.
// usage: places NAME=VALUE...     prints lines: throughput_K VALUE for each network K, in bit/s of payload
#include "network.h"

#include "ns3/mobility-module.h"
#include "ns3/traffic-control-module.h"

#include <cstdio>
#include <string>
#include <vector>

int main(int argc, char** argv)
{
    ReadSettings(argc, argv);
    RngSeedManager::SetRun(Count("seed"));
    SetMacDefaults(Count("rts"));
    YansWifiChannelHelper channel;
    channel.SetPropagationDelay("ns3::ConstantSpeedPropagationDelayModel");
    channel.AddPropagationLoss("ns3::LogDistancePropagationLossModel",
                               "Exponent",
                               DoubleValue(Number("exponent")),
                               "ReferenceDistance",
                               DoubleValue(1),
                               "ReferenceLoss",
                               DoubleValue(Number("loss_at_1m")));
    YansWifiPhyHelper phy;
    phy.SetChannel(channel.Create());
    phy.Set("ChannelSettings", StringValue("{0, 20, BAND_5GHZ, 0}"));
    phy.Set("TxPowerStart", DoubleValue(20));
    phy.Set("TxPowerEnd", DoubleValue(20));
    phy.Set("RxNoiseFigure", DoubleValue(7));
    phy.SetErrorRateModel("ns3::NistErrorRateModel");
    // A receiver leaves a frame for one that is 10 dB stronger, at any time.
    phy.SetFrameCaptureModel("ns3::SimpleFrameCaptureModel",
                             "Margin",
                             DoubleValue(10),
                             "CaptureWindow",
                             TimeValue(Seconds(1)));
    const auto networks = Count("networks");
    const auto stations = Count("stations");
    std::vector<NodeContainer> nodes;
    std::vector<NetDeviceContainer> devices;
    InternetStackHelper stack;
    stack.SetIpv6StackInstall(false);
    std::vector<Ipv4InterfaceContainer> hosts;
    for (uint32_t k = 0; k < networks; k++)
    {
        nodes.emplace_back(stations + 1);
        NodeContainer around;
        for (uint32_t i = 1; i <= stations; i++)
        {
            around.Add(nodes[k].Get(i));
        }
        devices.push_back(InstallNetwork(phy,
                                         "network" + std::to_string(k),
                                         WIFI_STANDARD_80211ax,
                                         "HeMcs" + Text("mcs"),
                                         {"BE"},
                                         nodes[k].Get(0),
                                         around));
        const double x = k * Number("spacing");
        const double reach = Number("reach");
        auto places = CreateObject<ListPositionAllocator>();
        places->Add(Vector(x, 0, 0));
        for (uint32_t i = 0; i < stations; i++)
        {
            places->Add(stations == 1 ? Vector(x, reach, 0) : Vector(x + (i == 0 ? -reach : reach), 0, 0));
        }
        MobilityHelper mobility;
        mobility.SetPositionAllocator(places);
        mobility.Install(nodes[k]);
        stack.Install(nodes[k]);
        const std::string subnet = "10." + std::to_string(k + 1) + ".0.0";
        hosts.push_back(Ipv4AddressHelper(subnet.c_str(), "255.255.0.0").Assign(devices[k]));
        NeighborCacheHelper().PopulateNeighborCache(hosts[k]);
        TrafficControlHelper().Uninstall(devices[k]);
    }
    auto start = CreateObject<UniformRandomVariable>();
    std::vector<std::vector<Ptr<PacketSink>>> sinks(networks);
    for (uint32_t k = 0; k < networks; k++)
    {
        for (uint32_t i = 1; i <= stations; i++)
        {
            const bool down = Text("direction") == "down";
            const auto from = nodes[k].Get(down ? 0 : i);
            const auto to = nodes[k].Get(down ? i : 0);
            const auto address = hosts[k].GetAddress(down ? i : 0);
            const InetSocketAddress destination(address, static_cast<uint16_t>(5000 + i));
            Prime(from, destination, 1.5 + 0.05 * k + 0.02 * i);
            PacketSinkHelper sink("ns3::UdpSocketFactory",
                                  InetSocketAddress(Ipv4Address::GetAny(), destination.GetPort()));
            sinks[k].push_back(DynamicCast<PacketSink>(sink.Install(to).Get(0)));
            StartUdp(from, destination, START + start->GetValue(0, 0.1));
        }
    }
    std::vector<uint64_t> before(networks);
    const auto received = [&](uint32_t k) {
        uint64_t bytes = 0;
        for (const auto& sink : sinks[k])
        {
            bytes += sink->GetTotalRx();
        }
        return bytes;
    };
    const double warmup = Number("warmup");
    const double duration = Number("duration");
    Simulator::Schedule(Seconds(START + warmup), [&] {
        for (uint32_t k = 0; k < networks; k++)
        {
            before[k] = received(k);
        }
    });
    Simulator::Stop(Seconds(START + warmup + duration));
    Simulator::Run();
    for (uint32_t k = 0; k < networks; k++)
    {
        std::printf("throughput_%u %.0f\n", k, static_cast<double>(received(k) - before[k]) * 8 / duration);
    }
    Simulator::Destroy();
}
