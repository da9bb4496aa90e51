// The packaged scenario bench/dumbbell in csg-htsim: n greedy NewReno flows over a shared link.
// usage: dumbbell FLOWS SECONDS     prints: segments acknowledged, goodput in bit/s
#include "config.h"
#include "eventlist.h"
#include "network.h"
#include "pipe.h"
#include "queue.h"
#include "route.h"
#include "tcp.h"

#include <cstdlib>
#include <iostream>
#include <memory>
#include <vector>

namespace {

constexpr int PACKET = 1500, PAYLOAD = 1460;
constexpr unsigned WINDOW = 700;

/// One direction of a link: a drop-tail queue with its transmitter, and a delay. A limit in packets is one in bytes here, since all data
/// packets are of one size; ACKs never fill theirs.
struct Direction
{
    Queue queue;
    Pipe pipe;

    Direction(double megabits, double milliseconds, int packets, EventList& events)
        : queue(speedFromMbps(megabits), mem_b(packets) * PACKET, events, nullptr)
        , pipe(timeFromMs(milliseconds), events)
    {
    }

    void follow(Route& route)
    {
        route.push_back(&queue);
        route.push_back(&pipe);
    }
};

struct Flow
{
    Direction out, in, back_out, back_in;
    TcpSrc source;
    TcpSink sink;
    Route there, back;

    explicit Flow(EventList& events)
        : out(1000, 1, 1000, events)
        , in(1000, 1, 1000, events)
        , back_out(1000, 1, 1000, events)
        , back_in(1000, 1, 1000, events)
        , source(nullptr, nullptr, events)
    {
    }

    void start(Direction& shared, Direction& shared_back, double seconds)
    {
        for (Direction* direction : {&out, &shared, &in})
            direction->follow(there);
        there.push_back(&sink);
        for (Direction* direction : {&back_out, &shared_back, &back_in})
            direction->follow(back);
        back.push_back(&source);
        source.set_cwnd(2 * PACKET);
        source.set_ssthresh(WINDOW * PACKET);
        source._maxcwnd = WINDOW * PACKET;
        source.connect(there, back, sink, timeFromSec(seconds));
    }
};

} // namespace

int main(int, char** argv)
{
    const int flows = std::atoi(argv[1]);
    const double seconds = std::atof(argv[2]);
    EventList& events = EventList::getTheEventList();
    EventList::setEndtime(timeFromSec(seconds));
    Packet::set_packet_size(PACKET);
    Direction shared(100, 10, 200, events), shared_back(100, 10, 200, events);
    TcpRtxTimerScanner timers(timeFromMs(10), events);
    std::vector<std::unique_ptr<Flow>> all;
    for (int i = 0; i < flows; i++)
    {
        all.push_back(std::make_unique<Flow>(events));
        all.back()->start(shared, shared_back, 1.0 * i / flows);
        timers.registerTcp(all.back()->source);
    }
    while (EventList::doNextEvent())
    {
    }
    uint64_t segments = 0;
    for (const auto& flow : all)
        segments += flow->source._last_acked / PACKET;
    std::cout << segments << ' ' << segments * PAYLOAD * 8 / seconds << std::endl;
}
