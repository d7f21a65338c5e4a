#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# SIGTERM ends it cleanly and leaves no sockets; one that was killed leaves some, and they do not hinder
# the next.
. "$(dirname "$0")/network.sh"
make_hosts 2
write_config 2
start_hoistd
[ "$(cat "$rundir/hoistd.pid")" = "$hoistd_pid" ] || fail "hoistd.pid says $(cat "$rundir/hoistd.pid"), not $hoistd_pid"
stop_hoistd
[ ! -e "$rundir/br0.mgmt" ] || fail "br0.mgmt is left"
[ ! -e "$rundir/hoistd.pid" ] || fail "hoistd.pid is left"
start_hoistd
kill -KILL "$hoistd_pid"
wait "$hoistd_pid" 2>/dev/null || true
[ -e "$rundir/br0.mgmt" ] || fail "a killed daemon cannot have removed its socket"
start_hoistd
ovs-ofctl add-flow br0 "priority=1,actions=NORMAL"
ping_all 1 2
stop_hoistd
