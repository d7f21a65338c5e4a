#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Meters with Debian's ovs-ofctl as it stands, and files of them with hoistctl.
. "$(dirname "$0")/network.sh"
make_hosts 2
write_config 2
start_hoistd
ofctl() { ovs-ofctl -O OpenFlow13 "$@"; }
says() {
  local pattern=$1; shift
  local out
  out=$("$@" 2>&1) || fail "$*: $out"
  grep -qE -- "$pattern" <<<"$out" || fail "$*: no '$pattern' in: $out"
}
refuses() {
  local pattern=$1; shift
  local out
  if out=$("$@" 2>&1); then fail "$*: was taken"; fi
  grep -qE -- "$pattern" <<<"$out" || fail "$*: no '$pattern' in: $out"
}
ofctl del-flows br0
says 'drop dscp_remark' ofctl meter-features br0
ofctl add-meter br0 "meter=1,kbps,burst,stats,bands=type=drop,rate=1000,burst_size=100"
ofctl add-meter br0 "meter=2,pktps,bands=type=drop,rate=5"
ofctl add-meter br0 "meter=4294901760,kbps,bands=type=dscp_remark,rate=10,prec_level=1,type=drop,rate=20"
ofctl add-meter br0 "meter=controller,pktps,bands=type=drop,rate=100"
refuses 'OFPMMFC_METER_EXISTS' ofctl add-meter br0 "meter=1,kbps,bands=type=drop,rate=1"
refuses 'OFPMMFC_UNKNOWN_METER' ofctl mod-meter br0 "meter=9,kbps,bands=type=drop,rate=1"
says 'rate=5' ofctl dump-meters br0 meter=2
says 'controller' ofctl dump-meters br0
refuses 'OFPMMFC_INVALID_METER' ofctl add-flow br0 "ip,actions=meter:7,output:2"

ofctl add-flow br0 "arp,actions=NORMAL"
ofctl add-flow br0 "ip,in_port=1,actions=meter:2,output:2"
ofctl add-flow br0 "ip,in_port=2,actions=output:1"
in_host 1 ping -q -c 40 -i 0.01 -W 1 10.9.0.2 >"$rundir/ping" 2>&1 || true
grep -qE '4[0-9]|[5-9][0-9]% packet loss' "$rundir/ping" || fail "40 packets at once pass 5 a second: $(cat "$rundir/ping")"
says 'meter:2 flow_count:1 packet_in_count:[1-9]' ofctl meter-stats br0 meter=2
says '"meter": [1-9]' hoistctl --json drops
ofctl mod-meter br0 "meter=2,pktps,bands=type=drop,rate=100000"
in_host 1 ping -q -c 20 -i 0.01 -W 1 10.9.0.2 >"$rundir/ping" 2>&1 || fail "still limited: $(cat "$rundir/ping")"
says 'actions=meter:2' ofctl dump-flows br0
ofctl del-meter br0 meter=2
says 'flow_count=2' ofctl dump-aggregate br0
ofctl del-meters br0
[ "$(ofctl dump-meters br0 | grep -c type=)" = 0 ] || fail "meters are left"

"$HOIST_SOURCE/tests/support/gateway.py" --addresses 500 "$rundir/meters" "$rundir/flows"
ofctl del-flows br0
sed '3s/meter=3/meter=x/' "$rundir/meters" >"$rundir/wrong"
refuses "wrong:3: .*not a meter's number" hoistctl add-meters br0 "$rundir/wrong"
[ "$(ofctl dump-meters br0 | grep -c type=)" = 0 ] || fail "a part of a file was applied"
says '500 meters added' hoistctl add-meters br0 "$rundir/meters"
says '1000 flows added' hoistctl add-flows br0 - <"$rundir/flows"
says 'flow_count=1000' ofctl dump-aggregate br0
[ "$(ofctl meter-stats br0 | grep -c flow_count:2)" = 500 ] || fail "statistics of all meters"
