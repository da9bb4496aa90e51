// Shared by both programs: TCP much as in the ns-2 scripts, greedy flows that start one after the other, and the two numbers
// printed at the end.
#ifndef BENCH_TCP_H
#define BENCH_TCP_H

#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"

#include <cstdio>

namespace bench {

constexpr uint32_t SEGMENT_BYTES = 1460;
constexpr uint32_t WINDOW_SEGMENTS = 700;

/// NewReno without delayed acknowledgements and timestamps, which would add work. SACK and its recovery keep ns-3's defaults:
/// without SACK, after a duplicate ACK that no loss has caused, ns-3.37 marks each next segment as lost
/// (TcpTxBuffer::DiscardUpTo), and retransmits segments that have arrived.
inline void SetTcp()
{
    using namespace ns3;
    const UintegerValue buffer(WINDOW_SEGMENTS * SEGMENT_BYTES);
    Config::SetDefault("ns3::TcpL4Protocol::SocketType", TypeIdValue(TcpNewReno::GetTypeId()));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(SEGMENT_BYTES));
    Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(2));
    Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(1));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", buffer);
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", buffer);
    Config::SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(MilliSeconds(200)));
    Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(false));
}

inline void InstallStack(const ns3::NodeContainer& nodes)
{
    ns3::InternetStackHelper stack;
    stack.SetIpv6StackInstall(false);
    stack.Install(nodes);
}

/// Greedy flows, each to a sink of its own.
class Flows
{
  public:
    void Add(ns3::Ptr<ns3::Node> from, ns3::Ptr<ns3::Node> to, ns3::Ipv4Address address, double start)
    {
        using namespace ns3;
        const auto port = static_cast<uint16_t>(5000 + m_sinks.GetN());
        PacketSinkHelper sink("ns3::TcpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), port));
        m_sinks.Add(sink.Install(to));
        BulkSendHelper source("ns3::TcpSocketFactory", InetSocketAddress(address, port));
        source.SetAttribute("SendSize", UintegerValue(SEGMENT_BYTES));
        source.Install(from).Start(Seconds(start));
    }

    /// Runs, and prints the segments delivered and the goodput in bit/s over `measured` seconds.
    void Run(double seconds, double measured) const
    {
        using namespace ns3;
        Simulator::Stop(Seconds(seconds));
        Simulator::Run();
        uint64_t bytes = 0;
        for (uint32_t i = 0; i < m_sinks.GetN(); i++)
        {
            bytes += DynamicCast<PacketSink>(m_sinks.Get(i))->GetTotalRx();
        }
        std::printf("%llu %.0f\n", static_cast<unsigned long long>(bytes / SEGMENT_BYTES), bytes * 8 / measured);
    }

  private:
    ns3::ApplicationContainer m_sinks;
};

} // namespace bench

#endif
