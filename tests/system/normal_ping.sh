#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# A switch without a controller learns addresses: hosts reach each other, and a frame to a known
# address goes to its port only.
. "$(dirname "$0")/network.sh"
make_hosts 3
write_config 3
start_hoistd
ovs-ofctl del-flows br0
ovs-ofctl add-flow br0 "priority=0,actions=NORMAL"
ping_all 1 2
ping_all 2 3
ping_all 3 1
before=$(in_host 3 cat /sys/class/net/eth0/statistics/rx_packets)
ping_all 1 2 50
after=$(in_host 3 cat /sys/class/net/eth0/statistics/rx_packets)
[ $((after - before)) -lt 20 ] || fail "host 3 saw $((after - before)) frames between 1 and 2"
ovs-appctl -t "$rundir/hoistd.ctl" fdb/show br0 | grep -qi 02:00:00:00:09:01 || fail "fdb/show lacks host 1"
