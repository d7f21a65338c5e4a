#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Rules go when their time is over, and say so where asked to.
. "$(dirname "$0")/network.sh"
make_hosts 2
know_neighbours 1 2
write_config 2
start_hoistd
ovs-ofctl del-flows br0
ovs-ofctl add-flow br0 "priority=1,actions=NORMAL"
monitor all -O OpenFlow13 128
ovs-ofctl -O OpenFlow13 add-flow br0 "send_flow_rem,hard_timeout=1,priority=5,cookie=0x51,in_port=1,actions=output:2"
ovs-ofctl -O OpenFlow13 add-flow br0 "send_flow_rem,idle_timeout=2,priority=6,cookie=0x62,in_port=2,actions=output:1"
ovs-ofctl -O OpenFlow13 add-flow br0 "idle_timeout=2,priority=7,cookie=0x73,udp,actions=drop"
monitor_says all "FLOW_REMOVED.*reason=hard.*cookie:0x51"
# Traffic keeps the second alive beyond its two seconds.
ping_all 1 2 150
flows | grep -q cookie=0x62 || fail "a rule in use went: $(flows)"
within 6 eval '! flows | grep -q cookie=0x62' || fail "an idle rule stayed: $(flows)"
monitor_says all "FLOW_REMOVED.*reason=idle.*cookie:0x62"
grep -q 'cookie:0x73' "$rundir/all.out" && fail "flow-removed for a rule that did not ask"
within 4 eval '! flows | grep -q cookie=0x73' || fail "an idle rule stayed: $(flows)"
