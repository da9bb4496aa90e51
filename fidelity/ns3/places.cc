// Networks of 802.11ax with places on one channel in ns-3 3.37: saturated UDP.
// usage: places NAME=VALUE...     prints lines: throughput_K VALUE for each network K, in bit/s of payload
#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/mobility-module.h"
#include "ns3/propagation-module.h"
#include "ns3/traffic-control-module.h"
#include "ns3/wifi-module.h"

#include <cstdio>
#include <map>
#include <string>
#include <vector>

using namespace ns3;

namespace {

std::map<std::string, std::string> g_settings;

const std::string& Text(const std::string& name)
{
    return g_settings.at(name);
}

double Number(const std::string& name)
{
    return std::stod(Text(name));
}

uint32_t Count(const std::string& name)
{
    return static_cast<uint32_t>(std::stoul(Text(name)));
}

/// When traffic starts, in s: all stations are associated by then.
constexpr double START = 3;

void SetDefaults()
{
    Config::SetDefault("ns3::WifiMacQueue::MaxSize", StringValue(Text("queue") + "p"));
    Config::SetDefault("ns3::WifiMacQueue::MaxDelay", TimeValue(Seconds(1000)));
    Config::SetDefault("ns3::WifiRemoteStationManager::RtsCtsThreshold", StringValue(Text("rts")));
    // As in wifi.cc.
    Config::SetDefault("ns3::WifiRemoteStationManager::MaxSsrc", UintegerValue(255));
    Config::SetDefault("ns3::WifiRemoteStationManager::MaxSlrc", UintegerValue(255));
    Config::SetDefault("ns3::QosTxop::UseExplicitBarAfterMissedBlockAck", BooleanValue(false));
}

/// The access point's device first.
NetDeviceContainer Network(uint32_t number, YansWifiPhyHelper& phy, const NodeContainer& nodes)
{
    WifiHelper wifi;
    wifi.SetStandard(WIFI_STANDARD_80211ax);
    wifi.SetRemoteStationManager("ns3::ConstantRateWifiManager",
                                 "DataMode",
                                 StringValue("HeMcs" + Text("mcs")),
                                 "ControlMode",
                                 StringValue("OfdmRate" + Text("control") + "Mbps"));
    const Ssid ssid("network" + std::to_string(number));
    WifiMacHelper mac;
    mac.SetType("ns3::ApWifiMac", "Ssid", SsidValue(ssid), "BeaconGeneration", BooleanValue(false));
    NetDeviceContainer devices = wifi.Install(phy, mac, nodes.Get(0));
    mac.SetType("ns3::StaWifiMac",
                "Ssid",
                SsidValue(ssid),
                "ActiveProbing",
                BooleanValue(true),
                "MaxMissedBeacons",
                UintegerValue(4000000000u));
    for (uint32_t i = 1; i < nodes.GetN(); i++)
    {
        devices.Add(wifi.Install(phy, mac, nodes.Get(i)));
    }
    for (uint32_t i = 0; i < devices.GetN(); i++)
    {
        const auto device = DynamicCast<WifiNetDevice>(devices.Get(i));
        device->GetMac()->SetAttribute("BE_MaxAmpduSize", UintegerValue(Count("ampdu")));
        device->GetMac()->SetAttribute("BE_MaxAmsduSize", UintegerValue(0));
        PointerValue txop;
        device->GetMac()->GetAttribute("BE_Txop", txop);
        txop.Get<QosTxop>()->SetTxopLimit(Seconds(0));
        const auto he = device->GetHeConfiguration();
        he->SetMpduBufferSize(256);
        he->SetGuardInterval(NanoSeconds(800));
    }
    return devices;
}

} // namespace

int main(int argc, char** argv)
{
    for (int i = 1; i < argc; i++)
    {
        const std::string word(argv[i]);
        const auto at = word.find('=');
        g_settings[word.substr(0, at)] = word.substr(at + 1);
    }
    RngSeedManager::SetRun(Count("seed"));
    SetDefaults();
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
        devices.push_back(Network(k, phy, nodes[k]));
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
            // A few packets before, so that the block ack agreement is there.
            UdpClientHelper first(address, 4000);
            first.SetAttribute("MaxPackets", UintegerValue(8));
            first.SetAttribute("Interval", TimeValue(MicroSeconds(1)));
            first.SetAttribute("PacketSize", UintegerValue(1000));
            first.Install(from).Start(Seconds(1.5 + 0.05 * k + 0.02 * i));
            const InetSocketAddress destination(address, static_cast<uint16_t>(5000 + i));
            PacketSinkHelper sink("ns3::UdpSocketFactory",
                                  InetSocketAddress(Ipv4Address::GetAny(), destination.GetPort()));
            sinks[k].push_back(DynamicCast<PacketSink>(sink.Install(to).Get(0)));
            OnOffHelper source("ns3::UdpSocketFactory", destination);
            source.SetConstantRate(DataRate(static_cast<uint64_t>(Number("offered"))), Count("payload"));
            source.Install(from).Start(Seconds(START + start->GetValue(0, 0.1)));
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
