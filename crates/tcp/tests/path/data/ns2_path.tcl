# One TCP flow over S -(100 Mb/s, 45 ms)- N -(CAPACITY, 5 ms)- D in ns-2.35: the runs behind the ns2_*.csv.
# usage: ns ns2_path.tcl VARIANT CAPACITY_MBPS WINDOW QUEUE SECONDS DELACK SESSION_BYTES PERIOD LOSS_PER_MILLE
#   VARIANT: tahoe, reno, newreno, sack, vegas, westwood; or aimd:ALPHA:BETA, which is NewReno with increase_num_ and decrease_num_;
#     or constant:W:RECOVERY:AFTER, that agent with its window held at W (see there), RECOVERY rfc793edu being
#     Agent/TCP/RFC793edu without growth
#   QUEUE: "own" (each link's rate x 0.1 s, in packets of 1000 bytes) or a number of packets
#   SESSION_BYTES 0: a persistent source from time 0; else that many bytes at 0, PERIOD, 2 PERIOD ...
#   LOSS_PER_MILLE: packet i (from 0, the SYN included) is lost at N before the queue when
#                   (i + 1) x 2654435761 mod 2^32 < LOSS x 2^32 / 1000, for i in 1..8000
# prints one CSV row: the arguments, segments sent, retransmitted, window cuts, highest ack, the time of the last transmission in
# microseconds, and the FNV-1a hash of the segment numbers in the order in which they were sent.
lassign $argv variant capacity window queue seconds delack bytes period loss
proc packets {mbps} { return [expr {int(ceil($mbps * 1e6 * 0.1 / 8000.0))}] }
set ns [new Simulator]
$defaultRNG seed 1
set S [$ns node]; set N [$ns node]; set D [$ns node]
$ns duplex-link $S $N 100Mb 45ms DropTail
$ns duplex-link $N $D ${capacity}Mb 5ms DropTail
foreach {a b mbps} [list $S $N 100 $N $S 100 $N $D $capacity $D $N $capacity] {
  $ns queue-limit $a $b [expr {$queue eq "own" ? [packets $mbps] : $queue}]
}
set trace [file tempfile name]
$ns trace-queue $S $N $trace
if {$loss > 0} {
  set lost {}
  for {set i 1} {$i <= 8000} {incr i} {
    if {(($i + 1) * 2654435761) % 4294967296 < $loss * 4294967296 / 1000} { lappend lost $i }
  }
  set errors [new ErrorModel/List]
  $errors unit pkt
  $errors droplist $lost
  $errors drop-target [new Agent/Null]
  $ns lossmodel $errors $N $D
}
# Holds a window that the agent cuts: every 75 us it is set again, and what that lets out goes out, behind a segment that is still being
# sent (83 us). Where AFTER is segment, a window of one that everything is sent again with stays until the next new ACK.
proc hold {tcp cwnd after {cuts 0} {timeouts 0} {waits -2}} {
  global ns variant
  set now [$tcp set ncwndcuts_]
  set fired [$tcp set nrexmit_]
  $tcp set ssthresh_ 1
  if {$after eq "segment" && ($fired > $timeouts || [string match *tahoe* $variant] && $now > $cuts)} { set waits [$tcp set ack_] }
  if {$waits != [$tcp set ack_]} {
    $tcp set cwnd_ $cwnd
    if {$now > $cuts || $waits > -2} { $tcp advanceby 0 }
    set waits -2
  }
  $ns at [expr {[$ns now] + 75e-6}] "hold [list $tcp $cwnd $after $now $fired $waits]"
}
Agent/TCP set window_ $window
Agent/TCP set packetSize_ 1000
set sack [expr {$variant in {sack westwood}}]
switch -glob $variant {
  tahoe { set tcp [new Agent/TCP] }
  reno { set tcp [new Agent/TCP/Reno] }
  newreno { set tcp [new Agent/TCP/Newreno] }
  aimd:* {
    lassign [split $variant :] aimd alpha beta
    set tcp [new Agent/TCP/Newreno]
    $tcp set increase_num_ $alpha
    $tcp set decrease_num_ $beta
  }
  constant:*:rfc793edu:* {
    set tcp [new Agent/TCP/RFC793edu]
    # Its output() adds no header.
    $tcp set packetSize_ 1040
    $tcp set windowInit_ [lindex [split $variant :] 1]
    foreach {flag value} {jacobsonrtt true fastrtx true expbackoff true karnrtt true slowstart false additiveinc false} {
      $tcp set add793${flag}_ $value
    }
  }
  constant:* {
    lassign [split $variant :] constant cwnd recovery after
    set tcp [new Agent/TCP[dict get {tahoe "" reno /Reno newreno /Newreno} $recovery]]
    $tcp set windowInit_ $cwnd
    $tcp set increase_num_ 0
    # Not before the SYN is gone, which goes alone.
    $ns at 0.05 "hold [list $tcp $cwnd $after]"
  }
  sack { set tcp [new Agent/TCP/Sack1] }
  vegas { set tcp [new Agent/TCP/Vegas] }
  westwood { set tcp [new Agent/TCP/Linux]; $ns at 0 "$tcp select_ca westwood" }
}
set sink [new Agent/TCPSink[expr {$sack ? "/Sack1" : ""}][expr {$delack ? "/DelAck" : ""}]]
$ns attach-agent $S $tcp; $ns attach-agent $D $sink; $ns connect $tcp $sink
if {$bytes > 0} {
  for {set at 0.0} {$at < $seconds} {set at [expr {$at + $period}]} { $ns at $at "$tcp send $bytes" }
} else {
  set ftp [new Application/FTP]; $ftp attach-agent $tcp
  $ns at 0.0 "$ftp start"
}
proc finish {} {
  global argv tcp ns trace name
  $ns flush-trace
  close $trace
  set file [open $name]
  set hash 14695981039346656037
  set last 0
  while {[gets $file line] >= 0} {
    if {[lindex $line 0] ne "+"} continue
    set last [expr {round([lindex $line 1] * 1e6)}]
    set hash [expr {(($hash ^ [lindex $line 10]) * 1099511628211) & 0xffffffffffffffff}]
  }
  file delete $name
  puts [join [concat [lrange $argv 0 8] [$tcp set ndatapack_] [$tcp set nrexmitpack_] [$tcp set ncwndcuts_] [$tcp set ack_] $last \
    [format %016x $hash]] ,]
  exit 0
}
$ns at $seconds finish
$ns run
