# TCP(alpha, beta) NewReno flows that share a bottleneck, in ns-2.35 with stock objects.
#
#   ns dumbbell.tcl [name=value ...]
#
# topology=dumbbell: every source --- R1 === BOTTLENECK === R2 --- every sink.
# topology=complex: R1 === BOTTLENECK, delay/2 === R2 --- 1 ms --- R3 === BOTTLENECK_SECOND, delay/2 === R4; every sink
# is at R4, even flows come from R1, odd ones from R3.
#
# Each sink's access link may lose packets, both ways: each with probability ERROR_RATE all the time
# (error_model=bernoulli; error_unit=byte: each byte), with probability BAD_RATE during exponential bad times (on_off), or
# all packets during an OUTAGE each PERIOD, in a PHASE of each sink's own, which is random unless set, as a flow's START is.
# Names and defaults are the list below. JITTER is ns-2's `overhead_`: what a window allows waits for up to so many seconds before it is
# sent, but for fast retransmissions. With PACKET_JITTER each packet waits for up to so many seconds before it comes to its
# first router.
#
# Prints one line `flow START SEGMENTS_SENT RETRANSMISSIONS HIGHEST_ACK WINDOW_CUTS` for each flow; the file DELIVERIES gets
# ns-2's trace of every packet that reaches a sink.
array set p {
  topology dumbbell  flows 10  alpha 1  beta 0.5  duration 60  seed 1  window 1000
  bottleneck_mbps 10  bottleneck_second_mbps 10  bottleneck_delay_ms 20  buffer 75  queue DropTail
  contention fixed  start ""  jitter 0  packet_jitter 0  delayed_ack false  deliveries ""
  error_model none  error_rate 0  error_unit pkt  error_position before-queue
  bad_rate 0.5  mean_good 1.0  mean_bad 0.1  outage 0  period 10  phase ""
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
foreach name {starts errors phases} {
  set $name [new RNG]
  for {set i 1} {$i < $p(seed)} {incr i} { [set $name] next-substream }
}
foreach {name value} [list window_ $p(window) packetSize_ 1000 minrto_ 0.2 tcpTick_ 0.01 overhead_ $p(jitter) \
    increase_num_ $p(alpha) decrease_num_ $p(beta) windowOption_ 1] {
  Agent/TCP set $name $value
}

proc connect {a b mbps delay_ms limit {queue DropTail}} {
  global ns
  $ns duplex-link $a $b ${mbps}Mb ${delay_ms}ms $queue
  $ns queue-limit $a $b $limit; $ns queue-limit $b $a $limit
}
if {$p(topology) eq "dumbbell"} {
  set R1 [$ns node]; set R2 [$ns node]
  connect $R1 $R2 $p(bottleneck_mbps) $p(bottleneck_delay_ms) $p(buffer) $p(queue)
  set entries [list $R1 $R1]; set exit $R2
} else {
  foreach name {R1 R2 R3 R4} { set $name [$ns node] }
  connect $R1 $R2 $p(bottleneck_mbps) [expr $p(bottleneck_delay_ms) / 2.0] $p(buffer)
  connect $R2 $R3 100 1 10000
  connect $R3 $R4 $p(bottleneck_second_mbps) [expr $p(bottleneck_delay_ms) / 2.0] $p(buffer)
  set entries [list $R1 $R3]; set exit $R4
}

# Every packet from here waits before it comes to there.
DelayModel set debug_ 0
proc wait_before {from to} {
  global ns p
  set uniform [new RandomVariable/Uniform]; $uniform set min_ 0; $uniform set max_ $p(packet_jitter)
  set wait [new DelayModel]; $wait ranvar $uniform
  set ttl [[$ns link $from $to] set ttl_]
  $wait target [$ttl target]; $ttl target $wait
}

# The error models of a sink's access link, one for each direction; nothing is lost until `lose` says so.
proc error_models {sink} {
  global ns p exit errors
  set models {}
  foreach {from to} [list $exit $sink $sink $exit] {
    set uniform [new RandomVariable/Uniform]; $uniform use-rng $errors
    set model [new ErrorModel]
    $model unit $p(error_unit); $model set rate_ 0; $model ranvar $uniform; $model drop-target [new Agent/Null]
    $ns [expr {$p(error_position) eq "before-queue" ? "lossmodel" : "link-lossmodel"}] $model $from $to
    lappend models $model
  }
  return $models
}
proc lose {models rate} { foreach model $models { $model set rate_ $rate } }
proc record_deliveries {sink flow file} {
  global ns exit
  set trace [$ns create-trace Recv $file $exit $sink]
  set ttl [[$ns link $exit $sink] set ttl_]
  $trace target [$ttl target]; $ttl target $trace
}

if {$p(deliveries) ne ""} { set file [open $p(deliveries) w] }
for {set i 0} {$i < $p(flows)} {incr i} {
  set from [$ns node]; set to [$ns node]
  set entry [lindex $entries [expr $i % 2]]
  connect $from $entry 100 5 10000
  if {$p(packet_jitter) > 0} { wait_before $from $entry }
  connect $exit $to 100 5 10000
  if {$p(error_model) ne "none" || $p(outage) > 0} { set models($i) [error_models $to] }
  if {$p(deliveries) ne ""} { record_deliveries $to $i $file }
  set source($i) [new Agent/TCP/Newreno]; $source($i) set fid_ $i
  set sink [new Agent/TCPSink[expr {$p(delayed_ack) ? "/DelAck" : ""}]]
  $ns attach-agent $from $source($i); $ns attach-agent $to $sink; $ns connect $source($i) $sink
  set ftp($i) [new Application/FTP]; $ftp($i) attach-agent $source($i)
  if {$p(start) ne ""} {
    set begin($i) $p(start)
  } elseif {$p(contention) eq "increase"} {
    set begin($i) [expr $i * ($p(duration) - 10.0) / $p(flows) + [$starts uniform 0 0.1]]
  } else {
    set begin($i) [$starts uniform 0 2]
  }
  $ns at $begin($i) "$ftp($i) start"
}

# Exponential with this mean.
proc sojourn {mean} { global phases; return [expr -$mean * log(1.0 - [$phases uniform 0 1])] }
for {set i 0} {$i < $p(flows)} {incr i} {
  if {$p(error_model) eq "bernoulli"} { lose $models($i) $p(error_rate) }
  if {$p(error_model) eq "on_off"} {
    for {set at 0.0} {$at < $p(duration)} {} {
      set at [expr $at + [sojourn $p(mean_good)]]; $ns at $at "lose {$models($i)} $p(bad_rate)"
      set at [expr $at + [sojourn $p(mean_bad)]]; $ns at $at "lose {$models($i)} 0"
    }
  }
  if {$p(outage) > 0} {
    set phase [expr {$p(phase) ne "" ? $p(phase) : [$phases uniform 0 $p(period)]}]
    for {set at [expr 2.0 + $phase]} {$at < $p(duration)} {set at [expr $at + $p(period)]} {
      $ns at $at "lose {$models($i)} 1"; $ns at [expr $at + $p(outage)] "lose {$models($i)} 0"
    }
  }
}

$ns at $p(duration) {
  for {set i 0} {$i < $p(flows)} {incr i} {
    set tcp $source($i)
    puts "flow $begin($i) [$tcp set ndatapack_] [$tcp set nrexmitpack_] [$tcp set ack_] [$tcp set ncwndcuts_]"
  }
  if {$p(deliveries) ne ""} { close $file }
  exit 0
}
$ns run
