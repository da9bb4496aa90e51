# The packaged scenario bench/wlan in ns-2: n stations of an 802.11b network upload over NewReno.
# usage: ns wlan.tcl STATIONS SECONDS [SEED]     prints: segments acknowledged, goodput in bit/s
lassign $argv n seconds seed
if {$seed ne ""} { ns-random $seed }
# Keep only the headers in use. They make ns-2's packets several times smaller, and ns-2 faster.
remove-all-packet-headers
add-packet-header IP TCP Flags LL Mac ARP Message
set ns [new Simulator]
Mac/802_11 set dataRate_ 11Mb
Mac/802_11 set basicRate_ 1Mb
Mac/802_11 set RTSThreshold_ 3000
Mac/802_11 set ShortRetryLimit_ 7
Mac/802_11 set LongRetryLimit_ 4
Agent/TCP set window_ 700
Agent/TCP set packetSize_ 1460
Agent/TCP set tcpTick_ 0.01
$ns node-config -addressType hierarchical
AddrParams set domain_num_ 2
AddrParams set cluster_num_ {1 1}
AddrParams set nodes_num_ [list 1 [expr {$n + 1}]]
set topography [new Topography]
$topography load_flatgrid 100 100
create-god [expr {$n + 1}]
set server [$ns node 0.0.0]
$ns trace-all [open /dev/null w]
$ns node-config -adhocRouting DSDV -llType LL -macType Mac/802_11 -ifqType Queue/DropTail/PriQueue -ifqLen 100 \
  -antType Antenna/OmniAntenna -propType Propagation/TwoRayGround -phyType Phy/WirelessPhy \
  -channel [new Channel/WirelessChannel] -topoInstance $topography -wiredRouting ON \
  -agentTrace OFF -routerTrace OFF -macTrace OFF -movementTrace OFF
proc place {node x y} {
  $node random-motion 0
  $node set X_ $x
  $node set Y_ $y
  $node set Z_ 0.0
}
set ap [$ns node 1.0.0]
$ns set traceAllFile_ ""
place $ap 50.0 50.0
$ns duplex-link $server $ap 100Mb 10ms DropTail
$ns queue-limit $server $ap 100
$ns queue-limit $ap $server 100
$ns node-config -wiredRouting OFF
$ns trace-all [open /dev/null w]
set turn [expr {2 * acos(-1) / $n}]
for {set i 0} {$i < $n} {incr i} {
  set station [$ns node 1.0.[expr {$i + 1}]]
  $station base-station [AddrParams addr2id [$ap node-addr]]
  place $station [expr {50 + 5 * cos($turn * $i)}] [expr {50 + 5 * sin($turn * $i)}]
  set sender($i) [new Agent/TCP/Newreno]
  set receiver [new Agent/TCPSink]
  $ns attach-agent $station $sender($i)
  $ns attach-agent $server $receiver
  $ns connect $sender($i) $receiver
  set ftp [new Application/FTP]
  $ftp attach-agent $sender($i)
  $ns at [expr {1.0 + 1.0 * $i / $n}] "$ftp start"
}
$ns at $seconds {
  set segments 0
  for {set i 0} {$i < $n} {incr i} { incr segments [$sender($i) set ack_] }
  puts "$segments [expr {$segments * 1460 * 8 / ($seconds - 1)}]"
  exit 0
}
$ns run
