#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The required tests of the Ryu switch certification, where the suite is at hand (HOIST_RYU). Known
# failures stand in ryu_known_failures.txt; one that passes has to be taken out there.
. "$(dirname "$0")/network.sh"
: "${HOIST_RYU:=$HOIST_SOURCE/../shared/conformance/ryu}"
[ -x "$HOIST_RYU/run.py" ] || skip "no $HOIST_RYU/run.py"
/usr/bin/python3 -c 'import os_ken, netaddr' 2>/dev/null || skip "needs python3-os-ken and python3-netaddr"
ns="hoist$$-ryu"
"$HOIST_RYU/netns-up.sh" "$ns" >/dev/null
namespaces+=("$ns")
cable() { echo "s$1"; }
write_config 3
sed -i '/^name = "br0"/a fail_mode = "secure"' "$rundir/hoist.toml"
start_hoistd ip netns exec "$ns"
# --ports stay those of netns-up.sh
timeout "${HOIST_RYU_SECONDS:-500}" ip netns exec "$ns" "$HOIST_RYU/run.py" --switch "$rundir/br0.mgmt" \
  "${@:---required-only}" --out "$rundir/results.json" >"$rundir/ryu.out" 2>&1 || true
tail -30 "$rundir/ryu.out"
[ -f "$rundir/results.json" ] || fail "no results: $(cat "$rundir/ryu.out")"
[ -z "${HOIST_RYU_KEEP:-}" ] || cp "$rundir/results.json" "$rundir/ryu.out" "$rundir/log" "$HOIST_RYU_KEEP/"
[ $# = 0 ] || exit 0
"$(dirname "$0")/ryu_verdict.py" "$rundir/results.json" "$(dirname "$0")/ryu_known_failures.txt" || fail "ryu"
