# NewReno flows that share a small drop-tail buffer, in ns-2.35 with stock objects.
#
#   ns ties.tcl [name=value ...]
#
# Every source --- 97.3 Mb/s, 3 ms --- R1 === 9.1 Mb/s, 12 ms, BUFFER packets === R2 --- 97.3 Mb/s, 5 ms --- every sink.
# No rate is a multiple of another. So that nothing happens at the same instant, each packet waits for a random time of up to
# JITTER s before it comes to R1 (jitter_of=packets); or what the window allows waits before it is sent (jitter_of=windows:
# `overhead_`, which does not delay fast retransmissions).
#
# Counts from 5 s to 35 s. Prints `throughput_total` (bit/s of payload acknowledged), `timeouts`, `rexmit_fraction`.
array set p {flows 1  buffer 2  jitter 0.00001  jitter_of packets  seed 1}
foreach argument $argv {
  if {![regexp {^([a-z_]+)=(.*)$} $argument -> name value] || ![info exists p($name)]} {
    puts stderr "no such setting: $argument"; exit 2
  }
  set p($name) $value
}
remove-all-packet-headers
add-packet-header Common Flags IP TCP
set ns [new Simulator]
$defaultRNG seed $p(seed)
set starts [new RNG]
for {set i 1} {$i < $p(seed)} {incr i} { $starts next-substream }
foreach {name value} [list window_ 100 packetSize_ 1000 minrto_ 0.2 tcpTick_ 0.01 overhead_ 0] {
  Agent/TCP set $name $value
}
if {$p(jitter_of) eq "windows"} { Agent/TCP set overhead_ $p(jitter) }
DelayModel set debug_ 0
set uniform [new RandomVariable/Uniform]; $uniform set min_ 0; $uniform set max_ $p(jitter)
proc connect {a b mbps delay_ms limit} {
  global ns
  $ns duplex-link $a $b ${mbps}Mb ${delay_ms}ms DropTail
  $ns queue-limit $a $b $limit; $ns queue-limit $b $a $limit
}
set R1 [$ns node]; set R2 [$ns node]
connect $R1 $R2 9.1 12 $p(buffer)
for {set i 0} {$i < $p(flows)} {incr i} {
  set from [$ns node]; set to [$ns node]
  connect $from $R1 97.3 3 5000
  connect $R2 $to 97.3 5 5000
  if {$p(jitter_of) eq "packets"} {
    set wait [new DelayModel]; $wait ranvar $uniform
    set ttl [[$ns link $from $R1] set ttl_]; $wait target [$ttl target]; $ttl target $wait
  }
  set source($i) [new Agent/TCP/Newreno]
  set sink [new Agent/TCPSink]
  $ns attach-agent $from $source($i); $ns attach-agent $to $sink; $ns connect $source($i) $sink
  set ftp [new Application/FTP]; $ftp attach-agent $source($i)
  $ns at [$starts uniform 0 1] "$ftp start"
}
# The flows' counts altogether: highest ACK, timeouts, segments sent, segments resent.
proc counts {} {
  global p source
  set sums {0 0 0 0}
  for {set i 0} {$i < $p(flows)} {incr i} {
    set k 0
    foreach name {ack_ nrexmit_ ndatapack_ nrexmitpack_} {
      lset sums $k [expr [lindex $sums $k] + [$source($i) set $name]]; incr k
    }
  }
  return $sums
}
$ns at 5 { set before [counts] }
$ns at 35 {
  foreach was $before is [counts] { lappend grown [expr $is - $was] }
  foreach {acked timeouts sent resent} $grown {}
  puts "throughput_total [expr $acked * 8000 / 30.0]"
  puts "timeouts $timeouts"
  puts "rexmit_fraction [expr double($resent) / $sent]"
  exit 0
}
$ns run
