// What the programs of this folder share: their settings, and a network of 802.11 with EDCA.
#ifndef AIRFAIR_FIDELITY_NETWORK_H
#define AIRFAIR_FIDELITY_NETWORK_H

#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/wifi-module.h"

#include <map>
#include <string>
#include <vector>

using namespace ns3;

namespace {

std::map<std::string, std::string> g_settings;

/// Reads the arguments NAME=VALUE.
void ReadSettings(int argc, char** argv)
{
    for (int i = 1; i < argc; i++)
    {
        const std::string word(argv[i]);
        const auto at = word.find('=');
        g_settings[word.substr(0, at)] = word.substr(at + 1);
    }
}

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

/// RTS go before packets of more than `rtsThreshold` bytes.
void SetMacDefaults(uint32_t rtsThreshold)
{
    // Frames do not leave the queue because they are old: AirFair's do not either.
    Config::SetDefault("ns3::WifiMacQueue::MaxSize", StringValue(Text("queue") + "p"));
    Config::SetDefault("ns3::WifiMacQueue::MaxDelay", TimeValue(Seconds(1000)));
    Config::SetDefault("ns3::WifiRemoteStationManager::RtsCtsThreshold", UintegerValue(rtsThreshold));
    // ns-3 counts failed attempts by station and category, not by frame, and gives up whole aggregates long before their frames have
    // failed seven times: nothing is given up here.
    Config::SetDefault("ns3::WifiRemoteStationManager::MaxSsrc", UintegerValue(255));
    Config::SetDefault("ns3::WifiRemoteStationManager::MaxSlrc", UintegerValue(255));
    // By default ns-3 asks for the block ack that did not come, and its answer resets the contention window: most collisions
    // are then of data sent with the first window again. Here, as in ath9k, the aggregate itself is sent again.
    Config::SetDefault("ns3::QosTxop::UseExplicitBarAfterMissedBlockAck", BooleanValue(false));
}

/// A network with this name, standard, mode of data frames, and access categories that carry traffic. Returns the access point's device first.
NetDeviceContainer InstallNetwork(const YansWifiPhyHelper& phy,
                                  const std::string& name,
                                  WifiStandard standard,
                                  const std::string& mode,
                                  const std::vector<std::string>& categories,
                                  Ptr<Node> ap,
                                  const NodeContainer& stations)
{
    WifiHelper wifi;
    wifi.SetStandard(standard);
    wifi.SetRemoteStationManager("ns3::ConstantRateWifiManager",
                                 "DataMode",
                                 StringValue(mode),
                                 "ControlMode",
                                 StringValue("OfdmRate24Mbps"));
    const Ssid ssid(name);
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
        for (const auto& category : categories)
        {
            device->GetMac()->SetAttribute(category + "_MaxAmpduSize", ampdu);
            device->GetMac()->SetAttribute(category + "_MaxAmsduSize", amsdu);
            // In a TXOP of several exchanges the others' NAV lasts to its limit, but ns-3's holder contends as soon as its last frame
            // is answered (there is no TXNAV timer, IEEE 802.11-2020, 10.23.2.2), and wins for ever: 39.1 Mb/s for one of four
            // stations with voice, and nothing for the others.
            PointerValue txop;
            device->GetMac()->GetAttribute(category + "_Txop", txop);
            txop.Get<QosTxop>()->SetTxopLimit(Seconds(0));
        }
        if (const auto he = device->GetHeConfiguration())
        {
            he->SetMpduBufferSize(256);
            he->SetGuardInterval(NanoSeconds(800));
        }
    }
    return devices;
}

/// A few packets from `at` on, in s, before the measured traffic, so that block ack agreements are there: on a saturated channel they take
/// seconds. `to` has the address and the type of service. Returns the port.
uint16_t Prime(Ptr<Node> from, const InetSocketAddress& to, double at)
{
    const uint16_t port = 4000;
    InetSocketAddress address(to.GetIpv4(), port);
    address.SetTos(to.GetTos());
    UdpClientHelper source(address, port);
    source.SetAttribute("MaxPackets", UintegerValue(8));
    source.SetAttribute("Interval", TimeValue(MicroSeconds(1)));
    source.SetAttribute("PacketSize", UintegerValue(1000));
    source.Install(from).Start(Seconds(at));
    return port;
}

/// A source of UDP at the rate `offered` with packets of `payload` bytes, from `start` on, in s.
void StartUdp(Ptr<Node> from, const InetSocketAddress& to, double start)
{
    OnOffHelper source("ns3::UdpSocketFactory", to);
    source.SetConstantRate(DataRate(static_cast<uint64_t>(Number("offered"))), Count("payload"));
    source.Install(from).Start(Seconds(start));
}

} // namespace

#endif
