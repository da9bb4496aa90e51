// A WLAN with EDCA in ns-3 3.37: stations and a server behind the access point, saturated UDP or greedy TCP.
// usage: wifi NAME=VALUE...     prints lines: NAME VALUE, in bit/s of payload
#include "network.h"

#include "ns3/mobility-module.h"
#include "ns3/point-to-point-module.h"
#include "ns3/traffic-control-module.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace {

/// The IP type of service that ns-3 maps to an access category (by its three highest bits).
uint8_t Tos(const std::string& category)
{
    static const std::map<std::string, uint8_t> tos{{"bk", 0x20}, {"be", 0x00}, {"vi", 0xa0}, {"vo", 0xc0}};
    return tos.at(category);
}

/// NewReno that halves all that is unacknowledged (FlightSize, RFC 5681, equation 4). ns-3's halves what it counts as in flight, without the
/// segments that it takes for lost.
class TcpFlightSize : public TcpNewReno
{
  public:
    static TypeId GetTypeId()
    {
        static const TypeId type = TypeId("TcpFlightSize").SetParent<TcpNewReno>().AddConstructor<TcpFlightSize>();
        return type;
    }

    uint32_t GetSsThresh(Ptr<const TcpSocketState> state, uint32_t) override
    {
        const SequenceNumber32 sent = state->m_highTxMark;
        const uint32_t unacknowledged = sent - state->m_lastAckedSeq;
        return std::max(unacknowledged / 2, 2 * state->m_segmentSize);
    }

    Ptr<TcpCongestionOps> Fork() override
    {
        return CopyObject<TcpFlightSize>(this);
    }
};

void SetDefaults()
{
    SetMacDefaults(4692480);
    const auto segment = Count("payload");
    const UintegerValue buffer(Count("window") * segment);
    const auto control = Text("halves") == "flight size" ? TcpFlightSize::GetTypeId() : TcpNewReno::GetTypeId();
    Config::SetDefault("ns3::TcpL4Protocol::SocketType", TypeIdValue(control));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(segment));
    Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(2));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", buffer);
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", buffer);
    // RFC 6298. A timeout as long as a delayed ACK (200 ms) keeps connections of ns-3 in stop and wait: docs/wifi.md.
    Config::SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(Seconds(1)));
    Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(false));
}

/// Returns the access point's device first. Every frame is strong enough, wherever the stations are.
NetDeviceContainer Air(Ptr<Node> ap, const NodeContainer& stations)
{
    YansWifiChannelHelper channel;
    channel.SetPropagationDelay("ns3::ConstantSpeedPropagationDelayModel");
    channel.AddPropagationLoss("ns3::FixedRssLossModel", "Rss", DoubleValue(-40));
    YansWifiPhyHelper phy;
    phy.SetChannel(channel.Create());
    const auto width = Text("width");
    phy.Set("ChannelSettings", StringValue("{0, " + width + ", BAND_5GHZ, 0}"));
    const auto nss = Count("nss");
    phy.Set("Antennas", UintegerValue(nss));
    phy.Set("MaxSupportedTxSpatialStreams", UintegerValue(nss));
    phy.Set("MaxSupportedRxSpatialStreams", UintegerValue(nss));
    const auto mcs = Count("mcs");
    WifiStandard standard = WIFI_STANDARD_80211ax;
    std::string mode = "HeMcs" + std::to_string(mcs);
    if (Text("standard") == "802.11n")
    {
        standard = WIFI_STANDARD_80211n;
        mode = "HtMcs" + std::to_string(mcs + 8 * (nss - 1));
    }
    else if (Text("standard") == "802.11ac")
    {
        standard = WIFI_STANDARD_80211ac;
        mode = "VhtMcs" + std::to_string(mcs);
    }
    NetDeviceContainer devices = InstallNetwork(phy, "fidelity", standard, mode, {"BE", "BK", "VI", "VO"}, ap, stations);
    MobilityHelper mobility;
    mobility.SetPositionAllocator("ns3::GridPositionAllocator", "DeltaX", DoubleValue(0.1), "DeltaY", DoubleValue(0.1));
    mobility.Install(NodeContainer(NodeContainer(ap), stations));
    return devices;
}

/// Flows, each to a sink of its own.
class Flows
{
  public:
    void Add(Ptr<Node> from, Ptr<Node> to, Ipv4Address address, const std::string& group, const std::string& category)
    {
        const auto port = static_cast<uint16_t>(5000 + m_sinks.size());
        InetSocketAddress destination(address, port);
        destination.SetTos(Tos(category));
        const bool tcp = Text("protocol") == "tcp";
        const std::string factory = tcp ? "ns3::TcpSocketFactory" : "ns3::UdpSocketFactory";
        PacketSinkHelper sink(factory, InetSocketAddress(Ipv4Address::GetAny(), port));
        m_sinks.push_back({group, category, DynamicCast<PacketSink>(sink.Install(to).Get(0))});
        Accept(to, Prime(from, destination, 1.5 + 0.02 * static_cast<double>(m_sinks.size())));
        const double start = START + m_start->GetValue(0, 0.1);
        if (tcp)
        {
            BulkSendHelper source(factory, destination);
            source.SetAttribute("SendSize", UintegerValue(Count("payload")));
            source.Install(from).Start(Seconds(start));
            return;
        }
        StartUdp(from, destination, start);
    }

    std::map<std::string, uint64_t> Received() const
    {
        std::map<std::string, uint64_t> bytes;
        for (const auto& sink : m_sinks)
        {
            const auto received = sink.application->GetTotalRx();
            bytes["throughput_total"] += received;
            bytes["throughput_" + sink.group] += received;
            bytes["throughput_" + sink.category] += received;
        }
        return bytes;
    }

  private:
    /// What a station gets before the measured traffic counts nowhere.
    void Accept(Ptr<Node> to, uint16_t port)
    {
        if (m_primed.insert(to->GetId()).second)
        {
            PacketSinkHelper("ns3::UdpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), port)).Install(to);
        }
    }

    struct Sink
    {
        std::string group;
        std::string category;
        Ptr<PacketSink> application;
    };
    std::vector<Sink> m_sinks;
    std::set<uint32_t> m_primed;
    Ptr<UniformRandomVariable> m_start = CreateObject<UniformRandomVariable>();
};

} // namespace

int main(int argc, char** argv)
{
    ReadSettings(argc, argv);
    RngSeedManager::SetRun(Count("seed"));
    SetDefaults();
    const auto count = Count("stations");
    NodeContainer ap(1);
    NodeContainer server(1);
    NodeContainer stations(count);
    const NetDeviceContainer air = Air(ap.Get(0), stations);
    PointToPointHelper link;
    link.SetDeviceAttribute("DataRate", StringValue("10Gbps"));
    link.SetChannelAttribute("Delay", StringValue("1ms"));
    link.SetQueue("ns3::DropTailQueue", "MaxSize", StringValue("1000p"));
    const NetDeviceContainer wire = link.Install(ap.Get(0), server.Get(0));
    InternetStackHelper stack;
    stack.SetIpv6StackInstall(false);
    stack.Install(NodeContainer(ap, server, stations));
    const Ipv4InterfaceContainer hosts = Ipv4AddressHelper("10.1.0.0", "255.255.0.0").Assign(air);
    NeighborCacheHelper().PopulateNeighborCache(hosts);
    const Ipv4Address address = Ipv4AddressHelper("10.2.0.0", "255.255.0.0").Assign(wire).GetAddress(1);
    TrafficControlHelper().Uninstall(NetDeviceContainer(air, wire));
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();
    Flows flows;
    const auto direction = Text("direction");
    const std::vector<std::string> mixed{"be", "bk", "vi", "vo"};
    for (uint32_t i = 0; i < count; i++)
    {
        const auto category = Text("category") == "mixed" ? mixed[i % 4] : Text("category");
        if (direction != "down")
        {
            flows.Add(stations.Get(i), server.Get(0), address, "up", category);
        }
        if (direction != "up")
        {
            flows.Add(server.Get(0), stations.Get(i), hosts.GetAddress(i + 1), "down", category);
        }
    }
    std::map<std::string, uint64_t> before;
    const double warmup = Number("warmup");
    const double duration = Number("duration");
    Simulator::Schedule(Seconds(START + warmup), [&] { before = flows.Received(); });
    Simulator::Stop(Seconds(START + warmup + duration));
    Simulator::Run();
    for (const auto& [name, bytes] : flows.Received())
    {
        std::printf("%s %.0f\n", name.c_str(), static_cast<double>(bytes - before[name]) * 8 / duration);
    }
    Simulator::Destroy();
}
