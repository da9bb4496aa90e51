# The packaged scenario bench/dumbbell in ns-2: n greedy NewReno flows over a shared link.
# usage: ns dumbbell.tcl FLOWS SECONDS [MBPS QUEUE]     prints: segments acknowledged, goodput in bit/s
lassign [concat $argv [lrange {100 200} [expr {[llength $argv] - 2}] end]] n seconds rate queue
# Keep only the headers in use. They make ns-2's packets several times smaller, and ns-2 faster.
remove-all-packet-headers
add-packet-header IP TCP Flags
set ns [new Simulator]
Agent/TCP set window_ 700
Agent/TCP set packetSize_ 1460
Agent/TCP set tcpTick_ 0.01
proc wire {a b rate delay limit} {
  global ns
  $ns duplex-link $a $b $rate $delay DropTail
  $ns queue-limit $a $b $limit
  $ns queue-limit $b $a $limit
}
set left [$ns node]
set right [$ns node]
wire $left $right ${rate}Mb 10ms $queue
for {set i 0} {$i < $n} {incr i} {
  set source [$ns node]
  set sink [$ns node]
  wire $source $left 1000Mb 1ms 1000
  wire $right $sink 1000Mb 1ms 1000
  set sender($i) [new Agent/TCP/Newreno]
  set receiver [new Agent/TCPSink]
  $sender($i) set fid_ $i
  $ns attach-agent $source $sender($i)
  $ns attach-agent $sink $receiver
  $ns connect $sender($i) $receiver
  set ftp [new Application/FTP]
  $ftp attach-agent $sender($i)
  $ns at [expr {1.0 * $i / $n}] "$ftp start"
}
$ns at $seconds {
  set segments 0
  for {set i 0} {$i < $n} {incr i} { incr segments [$sender($i) set ack_] }
  puts "$segments [expr {$segments * 1460 * 8 / $seconds}]"
  exit 0
}
$ns run
