# Hosts that send over wires to a base station and on to a mobile each, in ns-2.35.
#
#   ns ghosh.tcl [name=value ...]
#
# topology=wireless: every host --- WIRED_RATE, WIRED_DELAY_MS --- base station.
# topology=mixed:    every host --- 10 Mb/s, 5 ms --- router === BOTTLENECK_MBPS, 45 ms === base station.
# hop=wifi: one 802.11 channel at 1 Mb/s from the base station to all mobiles; hop=link: 1 Mb/s and 1 ms to each.
#
# Names and defaults are the list below. tcp is Reno, Newreno, RFC793edu (its window held at CWND from the first new ACK on;
# losses are resent from one segment on) or, from the library LIBRARY of library.cc, Constant (as RFC793edu, but with the whole
# window once the SYN is acknowledged, and the other agents' timer), Reno/Constant and Newreno/Constant (the window is CWND
# throughout, with `syn_alone=true` once the SYN is acknowledged). Each segment waits for a random time up to JITTER seconds.
# Errors with error_at=above-mac are of packets that arrive at the base station (hop=link: at a mobile), with error_at=mac of all
# frames that a mobile hears, with error_at=mac-addressed (of the library) of those for it. With `resolved=true` a lone
# datagram goes ahead on each flow's path, so that ARP has its answers before TCP starts.
#
# Prints one line `flow START SENT RESENT HIGHEST_ACK TIMEOUTS` for each flow and `bottleneck ARRIVED DROPPED`.
array set p {
  topology wireless  hop wifi  pairs 1  tcp Reno  cwnd 0  window 1000  library ""  seed 1  duration 450  warmup 20
  error 0  error_at above-mac  queue DropTail  red_min 0  red_max 0  interface_queue 13  buffer 8
  wired_rate 10Mb  wired_delay_ms 50  bottleneck_mbps 0.6  delayed_ack false  rts_threshold 0  routing_period 15
  distance 20  jitter 0  thresholds packets  resolved false  syn_alone false
}
foreach argument $argv {
  if {![regexp {^([a-z_]+)=(.*)$} $argument -> name value] || ![info exists p($name)]} {
    puts stderr "no such setting: $argument"; exit 2
  }
  set p($name) $value
}
set mixed [expr {$p(topology) eq "mixed"}]
set wifi [expr {$p(hop) eq "wifi"}]
if {$p(library) ne ""} {
  load $p(library) Library
  foreach name {Reno Newreno} { Agent/TCP/$name/Constant set syn_alone_ $p(syn_alone) }
}

foreach {name value} [list dataRate_ 1Mb basicRate_ 1Mb RTSThreshold_ $p(rts_threshold)] { Mac/802_11 set $name $value }
foreach {name value} [list packetSize_ 1000 window_ $p(window) minrto_ 0.2 tcpTick_ 0.01 overhead_ $p(jitter)] {
  Agent/TCP set $name $value
}
Agent/DSDV set perup_ $p(routing_period)
if {$p(thresholds) eq "packets"} {
  foreach {name value} [list thresh_ $p(red_min) maxthresh_ $p(red_max) bytes_ false queue_in_bytes_ false q_weight_ 0.002] {
    Queue/RED set $name $value
  }
}

set ns [new Simulator]
$defaultRNG seed $p(seed)
foreach name {starts errors} {
  set $name [new RNG]
  for {set i 1} {$i < $p(seed)} {incr i} { [set $name] next-substream }
}
proc error_model {} {
  global p errors
  set model [new ErrorModel[expr {$p(error_at) eq "mac-addressed" ? "/Addressed" : ""}]]
  $model unit pkt; $model set rate_ $p(error)
  set uniform [new RandomVariable/Uniform]; $uniform use-rng $errors
  $model ranvar $uniform
  return $model
}
proc lose_after {from to} {
  global p ns
  if {$p(error) == 0} { return }
  set model [error_model]; $model drop-target [new Agent/Null]
  $ns link-lossmodel $model $from $to
}

set wired [expr {$mixed ? $p(pairs) + 1 : $p(pairs)}]
if {$wifi} {
  $ns trace-all [open /dev/null w]
  # Hierarchical addresses: the wire is domain 0, the WLAN domain 1.
  $ns node-config -addressType hierarchical
  AddrParams set domain_num_ 2
  AddrParams set cluster_num_ {1 1}
  AddrParams set nodes_num_ [list $wired [expr $p(pairs) + 1]]
  set field [new Topography]
  $field load_flatgrid 500 500
  create-god [expr $p(pairs) + 1]
  for {set i 0} {$i < $wired} {incr i} { set host($i) [$ns node 0.0.$i] }
  $ns node-config -adhocRouting DSDV -llType LL -macType Mac/802_11 -ifqType Queue/DropTail/PriQueue \
    -ifqLen $p(interface_queue) -antType Antenna/OmniAntenna -propType Propagation/TwoRayGround \
    -phyType Phy/WirelessPhy -topoInstance $field -channel [new Channel/WirelessChannel] -wiredRouting ON \
    -agentTrace OFF -routerTrace OFF -macTrace OFF -movementTrace OFF
  set base [$ns node 1.0.0]
  $base random-motion 0
  $base set X_ 250.0; $base set Y_ 250.0; $base set Z_ 0.0
  $ns node-config -wiredRouting OFF
  if {[string match mac* $p(error_at)] && $p(error) > 0} { $ns node-config -IncomingErrProc error_model }
  for {set i 0} {$i < $p(pairs)} {incr i} {
    set mobile($i) [$ns node 1.0.[expr $i + 1]]
    $mobile($i) base-station [AddrParams addr2id [$base node-addr]]
    $mobile($i) random-motion 0
    set angle [expr 2 * 3.14159265358979 * $i / $p(pairs)]
    $mobile($i) set X_ [expr 250 + $p(distance) * cos($angle)]
    $mobile($i) set Y_ [expr 250 + $p(distance) * sin($angle)]
    $mobile($i) set Z_ 0.0
  }
} else {
  for {set i 0} {$i < $wired} {incr i} { set host($i) [$ns node] }
  set base [$ns node]
  for {set i 0} {$i < $p(pairs)} {incr i} {
    set mobile($i) [$ns node]
    $ns duplex-link $base $mobile($i) 1Mb 1ms DropTail
    $ns queue-limit $base $mobile($i) $p(interface_queue)
    $ns queue-limit $mobile($i) $base 1000
    lose_after $base $mobile($i)
  }
}

proc wire {from to rate delay_ms} {
  global ns
  $ns duplex-link $from $to $rate ${delay_ms}ms DropTail
  $ns queue-limit $from $to 1000
  $ns queue-limit $to $from 1000
}
if {$mixed} {
  set router $host($p(pairs))
  for {set i 0} {$i < $p(pairs)} {incr i} { wire $host($i) $router 10Mb 5 }
  $ns simplex-link $router $base $p(bottleneck_mbps)Mb 45ms $p(queue)
  $ns simplex-link $base $router $p(bottleneck_mbps)Mb 45ms DropTail
  $ns queue-limit $router $base $p(buffer)
  $ns queue-limit $base $router 1000
  set monitor [$ns monitor-queue $router $base ""]
  if {$wifi && $p(error_at) eq "above-mac"} { lose_after $router $base }
} else {
  for {set i 0} {$i < $p(pairs)} {incr i} {
    wire $host($i) $base $p(wired_rate) $p(wired_delay_ms)
    if {$wifi && $p(error_at) eq "above-mac"} { lose_after $host($i) $base }
  }
}

if {$p(resolved)} {
  for {set i 0} {$i < $p(pairs)} {incr i} {
    set ahead [new Agent/UDP]; set nowhere [new Agent/Null]
    $ns attach-agent $host($i) $ahead; $ns attach-agent $mobile($i) $nowhere; $ns connect $ahead $nowhere
    $ns at [expr $p(warmup) - 5.0 + 0.1 * $i] "$ahead send 100"
  }
}
proc source {} {
  global p
  set agent [new Agent/TCP/$p(tcp)]
  if {$p(tcp) eq "RFC793edu"} {
    # It adds no header.
    $agent set packetSize_ 1040
    foreach name {jacobsonrtt fastrtx expbackoff karnrtt} { $agent set add793${name}_ true }
    foreach name {slowstart additiveinc} { $agent set add793${name}_ false }
    $agent set window_ $p(cwnd)
  } elseif {$p(cwnd) > 0} {
    $agent set maxcwnd_ $p(cwnd)
    if {$p(tcp) eq "Constant"} { $agent set windowInit_ $p(cwnd) }
  }
  return $agent
}
for {set i 0} {$i < $p(pairs)} {incr i} {
  set tcp($i) [source]; $tcp($i) set fid_ $i
  set sink [new Agent/TCPSink[expr {$p(delayed_ack) ? "/DelAck" : ""}]]
  $ns attach-agent $host($i) $tcp($i); $ns attach-agent $mobile($i) $sink; $ns connect $tcp($i) $sink
  set ftp [new Application/FTP]; $ftp attach-agent $tcp($i)
  set begin($i) [expr $p(warmup) + [$starts uniform 0 1.0]]
  $ns at $begin($i) "$ftp start"
}

$ns at [expr $p(warmup) + $p(duration)] {
  for {set i 0} {$i < $p(pairs)} {incr i} {
    set counts {}
    foreach name {ndatapack_ nrexmitpack_ ack_ nrexmit_} { lappend counts [$tcp($i) set $name] }
    puts "flow $begin($i) $counts"
  }
  if {$mixed} { puts "bottleneck [$monitor set parrivals_] [$monitor set pdrops_]" } else { puts "bottleneck 0 0" }
  exit 0
}
$ns run
