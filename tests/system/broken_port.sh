#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# A port that cannot start is named with the reason; the others run.
. "$(dirname "$0")/network.sh"
make_hosts 2
write_config 2
cat >>"$rundir/hoist.toml" <<EOF
[[bridge.port]]
name = "lost"
number = 9
devargs = "net_af_packet9,iface=no-such-link"
EOF
start_hoistd
ovs-ofctl add-flow br0 "priority=1,actions=NORMAL"
ping_all 1 2
grep -q 'lost' "$rundir/log" || fail "the log does not name the port"
ovs-ofctl show br0 | grep -q '(p1)' || fail "port p1 is not there: $(ovs-ofctl show br0)"
