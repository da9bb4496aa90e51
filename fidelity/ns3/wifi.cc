// A WLAN with EDCA in ns-3 3.37: stations and a server behind the access point, saturated UDP or greedy TCP.
// usage: wifi NAME=VALUE...     prints lines: NAME VALUE, in bit/s of payload
#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/mobility-module.h"
#include "ns3/point-to-point-module.h"
#include "ns3/traffic-control-module.h"
#include "ns3/wifi-module.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>
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

/// When traffic starts, in s: all stations are associated by then.
constexpr double START = 3;

uint32_t Count(const std::string& name)
{
    return static_cast<uint32_t>(std::stoul(Text(name)));
}

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
    // Frames do not leave the queue because they are old: AirFair's do not either.
    Config::SetDefault("ns3::WifiMacQueue::MaxSize", StringValue(Text("queue") + "p"));
    Config::SetDefault("ns3::WifiMacQueue::MaxDelay", TimeValue(Seconds(1000)));
    Config::SetDefault("ns3::WifiRemoteStationManager::RtsCtsThreshold", StringValue("4692480"));
    // ns-3 counts failed attempts by station and category, not by frame, and gives up whole aggregates long before their frames have
    // failed seven times: nothing is given up here.
    Config::SetDefault("ns3::WifiRemoteStationManager::MaxSsrc", UintegerValue(255));
    Config::SetDefault("ns3::WifiRemoteStationManager::MaxSlrc", UintegerValue(255));
    // By default ns-3 asks for the block ack that did not come, and its answer resets the contention window: most collisions
    // are then of data sent with the first window again. Here, as in ath9k, the aggregate itself is sent again.
    Config::SetDefault("ns3::QosTxop::UseExplicitBarAfterMissedBlockAck", BooleanValue(false));
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
    WifiHelper wifi;
    const auto standard = Text("standard");
    const auto mcs = Count("mcs");
    std::string mode;
    if (standard == "802.11n")
    {
        wifi.SetStandard(WIFI_STANDARD_80211n);
        mode = "HtMcs" + std::to_string(mcs + 8 * (nss - 1));
    }
    else if (standard == "802.11ac")
    {
        wifi.SetStandard(WIFI_STANDARD_80211ac);
        mode = "VhtMcs" + std::to_string(mcs);
    }
    else
    {
        wifi.SetStandard(WIFI_STANDARD_80211ax);
        mode = "HeMcs" + std::to_string(mcs);
    }
    wifi.SetRemoteStationManager("ns3::ConstantRateWifiManager",
                                 "DataMode",
                                 StringValue(mode),
                                 "ControlMode",
                                 StringValue("OfdmRate24Mbps"));
    const Ssid ssid("fidelity");
    const UintegerValue ampdu(Count("ampdu"));
    const UintegerValue amsdu(0);
    WifiMacHelper mac;
    // Beacons are off: stations associate by probing, and never miss one.
    mac.SetType("ns3::ApWifiMac", "Ssid", SsidValue(ssid), "BeaconGeneration", BooleanValue(false));
    NetDeviceContainer devices = wifi.Install(phy, mac, ap);
    mac.SetType("ns3::StaWifiMac",
                "Ssid",
                SsidValue(ssid),
                "ActiveProbing",
                BooleanValue(true),
                "MaxMissedBeacons",
                UintegerValue(4000000000u));
    devices.Add(wifi.Install(phy, mac, stations));
    for (uint32_t i = 0; i < devices.GetN(); i++)
    {
        const auto device = DynamicCast<WifiNetDevice>(devices.Get(i));
        for (const char* category : {"BE", "BK", "VI", "VO"})
        {
            device->GetMac()->SetAttribute(std::string(category) + "_MaxAmpduSize", ampdu);
            device->GetMac()->SetAttribute(std::string(category) + "_MaxAmsduSize", amsdu);
            // In a TXOP of several exchanges the others' NAV lasts to its limit, but ns-3's holder contends as soon as its last frame
            // is answered (there is no TXNAV timer, IEEE 802.11-2020, 10.23.2.2), and wins for ever: 39.1 Mb/s for one of four
            // stations with voice, and nothing for the others.
            PointerValue txop;
            device->GetMac()->GetAttribute(std::string(category) + "_Txop", txop);
            txop.Get<QosTxop>()->SetTxopLimit(Seconds(0));
        }
        if (const auto he = device->GetHeConfiguration())
        {
            he->SetMpduBufferSize(256);
            he->SetGuardInterval(NanoSeconds(800));
        }
    }
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
        Prime(from, to, destination);
        const double start = START + m_start->GetValue(0, 0.1);
        if (tcp)
        {
            BulkSendHelper source(factory, destination);
            source.SetAttribute("SendSize", UintegerValue(Count("payload")));
            source.Install(from).Start(Seconds(start));
            return;
        }
        OnOffHelper source(factory, destination);
        source.SetConstantRate(DataRate(static_cast<uint64_t>(Number("offered"))), Count("payload"));
        source.Install(from).Start(Seconds(start));
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
    /// A few packets before the measured traffic, so that block ack agreements are there: on a saturated channel they take seconds.
    void Prime(Ptr<Node> from, Ptr<Node> to, const InetSocketAddress& destination)
    {
        const uint16_t port = 4000;
        InetSocketAddress address(destination.GetIpv4(), port);
        address.SetTos(destination.GetTos());
        UdpClientHelper source(address, port);
        source.SetAttribute("MaxPackets", UintegerValue(8));
        source.SetAttribute("Interval", TimeValue(MicroSeconds(1)));
        source.SetAttribute("PacketSize", UintegerValue(1000));
        const auto index = static_cast<double>(m_sinks.size());
        source.Install(from).Start(Seconds(1.5 + 0.02 * index));
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
    for (int i = 1; i < argc; i++)
    {
        const std::string word(argv[i]);
        const auto at = word.find('=');
        g_settings[word.substr(0, at)] = word.substr(at + 1);
    }
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
