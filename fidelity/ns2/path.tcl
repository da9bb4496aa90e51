# One TCP flow over two wired links, in ns-2.35 with stock objects:
#   source --- 100 Mb/s, 45 ms --- router --- CAPACITY, 5 ms --- destination
# The second link loses each packet with probability LOSS: data (loss_direction=forward) or ACKs too (both), before they
# take room in its queue or after it has sent them. `timestamps` concerns Westwood alone, which is ns-2's TCP/Linux.
#
#   ns path.tcl [name=value ...]
#
# Prints `name value` lines in SI units.
array set p {
  tcp Reno  capacity_mbps 10  window 1000  queue_access 1250  queue_bottleneck 125
  initial_ssthresh ""  delayed_ack false  timestamps false  duration 200
  loss 0  loss_direction forward  loss_position before-queue  seed 1
}
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
set source_node [$ns node]; set router [$ns node]; set destination [$ns node]
$ns duplex-link $source_node $router 100Mb 45ms DropTail
$ns duplex-link $router $destination $p(capacity_mbps)Mb 5ms DropTail
foreach {a b limit} [list $source_node $router $p(queue_access) $router $destination $p(queue_bottleneck)] {
  $ns queue-limit $a $b $limit; $ns queue-limit $b $a $limit
}
proc lose {from to} {
  global ns p
  set draws [new RNG]
  for {set i 1} {$i < $p(seed)} {incr i} { $draws next-substream }
  set uniform [new RandomVariable/Uniform]; $uniform use-rng $draws
  set losses [new ErrorModel]
  $losses unit pkt; $losses set rate_ $p(loss); $losses ranvar $uniform; $losses drop-target [new Agent/Null]
  $ns [expr {$p(loss_position) eq "before-queue" ? "lossmodel" : "link-lossmodel"}] $losses $from $to
}
if {$p(loss) > 0} {
  lose $router $destination
  if {$p(loss_direction) eq "both"} { lose $destination $router }
}
Agent/TCP set window_ $p(window)
Agent/TCP set packetSize_ 1000
set delack [expr {$p(delayed_ack) ? "/DelAck" : ""}]
switch $p(tcp) {
  Tahoe    { set source [new Agent/TCP]; set sink [new Agent/TCPSink$delack] }
  Sack1    { set source [new Agent/TCP/Sack1]; set sink [new Agent/TCPSink/Sack1$delack] }
  Westwood {
    set source [new Agent/TCP/Linux]; set sink [new Agent/TCPSink/Sack1$delack]
    $source set timestamps_ $p(timestamps); $source set windowOption_ 8; $sink set ts_echo_rfc1323_ $p(timestamps)
    $ns at 0 "$source select_ca westwood"
  }
  default  { set source [new Agent/TCP/$p(tcp)]; set sink [new Agent/TCPSink$delack] }
}
if {$p(initial_ssthresh) ne ""} { $ns at 0.0 "$source set ssthresh_ $p(initial_ssthresh)" }
$ns attach-agent $source_node $source; $ns attach-agent $destination $sink; $ns connect $source $sink
set ftp [new Application/FTP]; $ftp attach-agent $source
$ns at 0.0 "$ftp start"
$ns at $p(duration) {
  puts "segments_sent [$source set ndatapack_]"
  puts "retransmissions [$source set nrexmitpack_]"
  puts "window_cuts [$source set ncwndcuts_]"
  puts "achieved_goodput [expr [$source set ack_] * 8000.0 / $p(duration)]"
  exit 0
}
$ns run
