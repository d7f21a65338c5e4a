#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Rules run in the NIC, say so, and go to software and back while traffic runs, without a loss.
. "$(dirname "$0")/network.sh"
[ -n "$HOIST_NIC" ] || skip "needs a NIC: HOIST_NIC"
make_hosts 2
know_neighbours 1 2
write_config 2
start_hoistd
ovs-ofctl del-flows br0
ovs-ofctl -O OpenFlow13 add-flow br0 "table=0,priority=10,in_port=1,ip,actions=goto_table:1"
ovs-ofctl -O OpenFlow13 add-flow br0 "table=1,priority=10,ip,nw_dst=10.9.0.2,actions=output:2"
ovs-ofctl add-flow br0 "table=0,priority=10,in_port=2,ip,actions=output:1"
in_hardware() { hoistctl offload show | grep -q '^3 rules: 3 full'; }
in_software() { hoistctl offload show | grep -q '^3 rules: 0 full'; }
within 10 in_hardware || fail "not in hardware: $(hoistctl offload show)"
in_host 1 ping -n -q -i 0.004 -c 1500 -W 2 10.9.0.2 >"$rundir/ping.out" &
ping_pid=$!
rounds=0
while kill -0 $ping_pid 2>/dev/null; do
  hoistctl offload disable >/dev/null
  within 10 in_software || fail "still in hardware: $(hoistctl offload show)"
  hoistctl offload enable >/dev/null
  within 10 in_hardware || fail "not in hardware again: $(hoistctl offload show)"
  rounds=$((rounds + 1))
done
wait $ping_pid || fail "$(cat "$rundir/ping.out")"
grep -q ' 0% packet loss' "$rundir/ping.out" || fail "$(cat "$rundir/ping.out")"
[ $rounds -gt 1 ] || fail "only $rounds rounds"
counted() { [ "$(packets_of table=1)" = 1500 ]; }
within 5 counted || fail "table 1 counted $(packets_of table=1) of 1500 packets"
