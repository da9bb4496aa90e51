# An access point, n stations and a wired server behind the access point, in ns-2.35 with stock objects.
#
#   ns wlan.tcl [name=value ...]
#
# Names and defaults are the list below: settings A of the study `jung` (../references/README.md). Prints
# `name value` lines in SI units. With `scenario=mixed` it also prints one line `session FLOW START` for each
# session, and writes how each intermittent flow's `ack_` and `maxseq_` move into
# TRACES/FLOW.tr; ../ns2.py makes finish times of them. With `scenario=hotspot` the first `up` stations send and
# `down` more receive, without end; it prints one line `flow DIRECTION PAYLOAD TIMEOUTS` for each flow, both counted after
# the warm-up. A `limiter` rate puts a token bucket of `bucket` bit before the wire: what finds it empty is dropped. With
# `resolved=true` a lone datagram goes ahead on each flow's path, so that ARP has its answers before TCP starts.
array set p {
  scenario mixed  protocol tcp  direction download  tcp Reno  stations 4  seed 1  warmup 20  duration 150
  session_bytes 10000  period 10  connection reuse  window 20  max_window 0  segment_bytes 1000
  up 1  down 1  limiter 0  bucket 2400000
  queue 50  ap_queue 0  wired_queue 1000  wired_rate 100Mb  wired_delay 10ms  datagram_bytes 1500  rate 16Mb
  data_rate 11Mb  basic_rate 11Mb  plcp_rate 11e6  rts_threshold 0  routing_period 15  resolved false  traces .
}
foreach argument $argv {
  if {![regexp {^([a-z_]+)=(.*)$} $argument -> name value] || ![info exists p($name)]} {
    puts stderr "no such setting: $argument"; exit 2
  }
  set p($name) $value
}

if {$p(scenario) eq "hotspot"} { set p(stations) [expr $p(up) + $p(down)] }
if {!$p(ap_queue)} { set p(ap_queue) $p(queue) }

remove-all-packet-headers
add-packet-header Common Flags IP TCP RTP LL Mac ARP Message
foreach {name value} [list dataRate_ $p(data_rate) basicRate_ $p(basic_rate) PLCPDataRate_ $p(plcp_rate) \
    PreambleLength_ 144 PLCPHeaderLength_ 48 CWMin_ 31 CWMax_ 1023 SlotTime_ 0.000020 SIFS_ 0.000010 \
    RTSThreshold_ $p(rts_threshold) ShortRetryLimit_ 7 LongRetryLimit_ 4] {
  Mac/802_11 set $name $value
}
Phy/WirelessPhy set CPThresh_ 10.0
foreach {name value} [list packetSize_ $p(segment_bytes) window_ $p(window) maxcwnd_ $p(max_window) \
    minrto_ 0.2 tcpTick_ 0.01] {
  Agent/TCP set $name $value
}
Agent/UDP set packetSize_ 65000   ;# no fragments
Agent/DSDV set perup_ $p(routing_period)

set ns [new Simulator]
$ns trace-all [open /dev/null w]
$defaultRNG seed $p(seed)
set starts [new RNG]
for {set i 1} {$i < $p(seed)} {incr i} { $starts next-substream }

# Hierarchical addresses: the wire is domain 0, the WLAN domain 1.
$ns node-config -addressType hierarchical
AddrParams set domain_num_ 2
AddrParams set cluster_num_ {1 1}
AddrParams set nodes_num_ [list 1 [expr $p(stations) + 1]]
set field [new Topography]
$field load_flatgrid 200 200
create-god [expr $p(stations) + 1]
set server [$ns node 0.0.0]
set channel [new Channel/WirelessChannel]
foreach wired {ON OFF} {
  $ns node-config -adhocRouting DSDV -llType LL -macType Mac/802_11 -ifqType Queue/DropTail/PriQueue \
    -ifqLen [expr {$wired ? $p(ap_queue) : $p(queue)}] \
    -antType Antenna/OmniAntenna -propType Propagation/TwoRayGround -phyType Phy/WirelessPhy \
    -topoInstance $field -channel $channel -wiredRouting $wired \
    -agentTrace OFF -routerTrace OFF -macTrace OFF -movementTrace OFF
  if {$wired} {
    set ap [$ns node 1.0.0]
    $ap random-motion 0
    $ap set X_ 100.0; $ap set Y_ 100.0; $ap set Z_ 0.0
  }
}
for {set i 1} {$i <= $p(stations)} {incr i} {
  set station($i) [$ns node 1.0.$i]
  $station($i) base-station [AddrParams addr2id [$ap node-addr]]
  $station($i) random-motion 0
  set angle [expr 2 * 3.14159265358979 * ($i - 1) / $p(stations)]
  $station($i) set X_ [expr 100.0 + 5.0 * cos($angle)]
  $station($i) set Y_ [expr 100.0 + 5.0 * sin($angle)]
  $station($i) set Z_ 0.0
}
$ns set traceAllFile_ ""
$ns duplex-link $server $ap $p(wired_rate) $p(wired_delay) DropTail
$ns queue-limit $server $ap $p(wired_queue)
$ns queue-limit $ap $server $p(wired_queue)
if {$p(limiter) ne 0} {
  set uplink [$ns link $ap $server]
  set limiter [new TBF]
  $limiter set rate_ $p(limiter); $limiter set bucket_ $p(bucket); $limiter set qlen_ 0
  $limiter target [$uplink head]
  $uplink set head_ $limiter
}

proc ends {i} {
  global p server station
  set down [expr {$p(scenario) eq "hotspot" ? $i > $p(up) : $p(direction) eq "download"}]
  if {$down} { return [list $server $station($i)] }
  return [list $station($i) $server]
}
proc connect {from to source sink} {
  global ns
  $ns attach-agent $from $source; $ns attach-agent $to $sink; $ns connect $source $sink
}
proc resolve {i} {
  global ns
  set source [new Agent/UDP]; set sink [new Agent/Null]
  lassign [ends $i] from to
  connect $from $to $source $sink
  $ns at [expr 9.0 + 0.001 * $i] "$source send 100"
}
proc tcp_flow {i} {
  global ns p
  if {$p(resolved)} { resolve $i }
  if {$p(tcp) eq "Westwood"} {
    set source [new Agent/TCP/Linux]; set sink [new Agent/TCPSink/Sack1]
  } else {
    set source [new Agent/TCP/$p(tcp)]; set sink [new Agent/TCPSink]
  }
  lassign [ends $i] from to
  connect $from $to $source $sink
  if {$p(tcp) eq "Westwood"} { $ns at 0 "$source select_ca westwood" }
  return $source
}
proc persistent {i spread} {
  global ns starts
  set source [tcp_flow $i]
  set ftp [new Application/FTP]; $ftp attach-agent $source
  $ns at [expr 10.0 + [$starts uniform 0 $spread]] "$ftp start"
  return $source
}
proc intermittent {i end} {
  global ns p starts
  set source [tcp_flow $i]
  set trace [open $p(traces)/$i.tr w]
  $source attach $trace; $source trace ack_; $source trace maxseq_
  set first [expr 11.0 + [$starts uniform 0 $p(period)]]
  for {set at $first} {$at < $end - 0.001} {set at [expr $at + $p(period)]} {
    if {$p(connection) eq "renewed"} { $ns at [expr $at - 0.0001] "renew $source" }
    $ns at $at "$source send $p(session_bytes)"
    puts "session $i [format %.9f $at]"
  }
  return $source
}
proc renew {source} { $source set cwnd_ 2; $source set ssthresh_ [$source set window_] }
proc datagrams {i} {
  global ns p starts
  set source [new Agent/UDP]; set sink [new Agent/LossMonitor]
  lassign [ends $i] from to
  connect $from $to $source $sink
  set cbr [new Application/Traffic/CBR]
  $cbr set packetSize_ $p(datagram_bytes); $cbr set rate_ $p(rate); $cbr attach-agent $source
  $ns at [expr 10.0 + [$starts uniform 0 0.1]] "$cbr start"
  return $sink
}

set end [expr $p(warmup) + $p(duration)]
set greedy {}; set sparing {}
for {set i 1} {$i <= $p(stations)} {incr i} {
  if {$p(scenario) eq "table1"} {
    lappend greedy [expr {$p(protocol) eq "udp" ? [datagrams $i] : [persistent $i 0.5]}]
  } elseif {$p(scenario) eq "hotspot" || $i <= $p(stations) / 2} {
    lappend greedy [persistent $i 1]
  } else {
    lappend sparing [intermittent $i $end]
  }
}

proc bytes {flow} {
  global p
  if {$p(protocol) eq "udp"} { return [$flow set bytes_] }
  return [expr [$flow set ack_] * $p(segment_bytes)]
}
proc sum {flows} {
  set total 0
  foreach flow $flows { set total [expr $total + [bytes $flow]] }
  return $total
}
proc counts {flow} {
  global p
  return [list [bytes $flow] [$flow set nrexmit_]]
}
$ns at $p(warmup) {
  set greedy_before [sum $greedy]; set sparing_before [sum $sparing]
  if {$p(scenario) eq "hotspot"} { foreach flow $greedy { set before($flow) [counts $flow] } }
}
$ns at $end {
  set greedy_rate [expr ([sum $greedy] - $greedy_before) * 8.0 / $p(duration)]
  set sparing_rate [expr ([sum $sparing] - $sparing_before) * 8.0 / $p(duration)]
  puts "throughput_persistent $greedy_rate"
  puts "throughput_total [expr $greedy_rate + $sparing_rate]"
  set i 0
  foreach flow [expr {$p(scenario) eq "hotspot" ? $greedy : ""}] {
    lassign [counts $flow] payload timeouts
    lassign $before($flow) payload_before timeouts_before
    set direction [expr {[incr i] > $p(up) ? "down" : "up"}]
    puts "flow $direction [expr $payload - $payload_before] [expr $timeouts - $timeouts_before]"
  }
  exit 0
}
$ns run
