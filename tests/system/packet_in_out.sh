#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# A controller sees the packets that rules send it and can send packets itself.
. "$(dirname "$0")/network.sh"
make_hosts 2
know_neighbours 1 2
write_config 2
start_hoistd
for version in OpenFlow10 OpenFlow13; do
  ovs-ofctl -O $version del-flows br0
  ovs-ofctl -O $version add-flow br0 "icmp,in_port=1,actions=CONTROLLER:128"
  monitor $version -O $version 65534
  in_host 1 ping -n -q -c 1 -W 1 10.9.0.2 >/dev/null || true
  monitor_says $version "PACKET_IN"
  monitor_says $version "icmp.*nw_src=10.9.0.1,nw_dst=10.9.0.2"
  before=$(in_host 2 cat /sys/class/net/eth0/statistics/rx_packets)
  frame=0200000009020200000009010800450000200001000040110000000000000a0900010a0900020000
  ovs-ofctl -O $version packet-out br0 "in_port=controller,packet=$frame,actions=output:2"
  received() { [ "$(in_host 2 cat /sys/class/net/eth0/statistics/rx_packets)" -gt "$before" ]; }
  within 5 received || fail "the packet-out of $version did not arrive"
done
