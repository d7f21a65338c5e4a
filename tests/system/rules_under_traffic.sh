#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# While two hundred rules above it come, change and go, again and again, the traffic that some rule carries all the time
# loses no packet; and the counters know every one of them.
. "$(dirname "$0")/network.sh"
make_hosts 2
know_neighbours 1 2
write_config 2
start_hoistd
ovs-ofctl del-flows br0
ovs-ofctl add-flow br0 "priority=1,in_port=p1,actions=output:p2"
ovs-ofctl add-flow br0 "priority=1,in_port=p2,actions=output:p1"
for n in $(seq 100); do
  echo "priority=$((n + 10)),icmp,nw_dst=10.9.0.2,icmp_type=8,icmp_code=0,in_port=1,nw_ttl=$((n % 256)),actions=output:2"
  echo "priority=$((n + 10)),icmp,nw_src=10.9.0.2/255.255.$((n % 256)).255,in_port=2,actions=output:1"
done >"$rundir/rules"
in_host 1 ping -n -q -i 0.004 -c 2000 -W 2 10.9.0.2 >"$rundir/ping.out" &
ping_pid=$!
rounds=0
while kill -0 $ping_pid 2>/dev/null; do
  ovs-ofctl add-flows br0 "$rundir/rules"
  ovs-ofctl mod-flows br0 "icmp,in_port=1,actions=mod_nw_tos:0,output:2"
  ovs-ofctl del-flows br0 "icmp"
  rounds=$((rounds + 1))
done
wait $ping_pid || fail "$(cat "$rundir/ping.out")"
grep -q ' 0% packet loss' "$rundir/ping.out" || fail "$(cat "$rundir/ping.out")"
[ $rounds -gt 1 ] || fail "only $rounds rounds of changes"
ping_all 1 2 10
