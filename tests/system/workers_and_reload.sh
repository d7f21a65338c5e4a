#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Workers in Open vSwitch's words; a reload follows the file; a controller of OpenFlow 1.0 gets table misses.
. "$(dirname "$0")/network.sh"
make_hosts 2
know_neighbours 1 2
write_config 2
start_hoistd
appctl() { ovs-appctl -t "$rundir/hoistd.ctl" "$@"; }

appctl dpif-netdev/pmd-stats-clear
ping_all 1 2
appctl dpif-netdev/pmd-stats-show | grep -q 'packets received: [1-9]' || fail "no packet was counted"
appctl dpif-netdev/pmd-perf-show | grep -q 'parse+cache' || fail "no stages"
appctl dpif-netdev/pmd-rxq-show | grep -q 'port: p1 .*queue-id:  0' || fail "queue of p1 is missing"
appctl dpif-netdev/pmd-rxq-rebalance | grep -qx 'pmd rxq rebalance requested.' || fail "no rebalance"
hoistctl workers | grep -q 'p1:0' || fail "hoistctl workers does not know p1"

ovs-ofctl del-flows br0
monitor old -O OpenFlow10 65534
in_host 1 ping -n -q -c 1 -W 1 10.9.0.2 >/dev/null || true
monitor_says old "PACKET_IN.*in_port=1"
monitor_says old "icmp.*nw_src=10.9.0.1,nw_dst=10.9.0.2"
[ -z "$(flows | grep -v FLOW)" ] || fail "the implicit rule is listed: $(flows)"

pins=$(sed -n 's/^workers = \[\(.*\)\]/\1/p' "$rundir/hoist.toml")
sed -i -e "s/^name = \"br0\"/&\nfail_mode = \"secure\"\nlisten = [\"punix:${rundir//\//\\/}\/more.sock\"]/" \
  -e "s/^number = 1$/&\nrxq_affinity = \"0:$pins\"/" "$rundir/hoist.toml"
hoistctl reload
ovs-ofctl probe "unix:$rundir/more.sock" || fail "the new listener does not answer"
hoistctl workers | grep -q 'p1:0\*' || fail "p1's queue is not pinned"
sed -i -e '/^listen/d' -e 's/^fail_mode.*/fail_mode = "standalone"/' "$rundir/hoist.toml"
hoistctl reload
[ ! -e "$rundir/more.sock" ] || fail "the old listener is still there"
flows | grep -q 'priority=0 actions=NORMAL' || fail "standalone brought no rule: $(flows)"
ping_all 1 2
sed -i 's/^fail_mode.*/fail_mode = "secure"/' "$rundir/hoist.toml"
hoistctl reload
flows | grep -q 'actions=NORMAL' && fail "secure left the rule: $(flows)"
stop_hoistd
