#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# How users see and govern connections with ovs-appctl: dumps, flushes while traffic runs, zones, marks,
# limits, the most connections, TCP sequence checking.
. "$(dirname "$0")/network.sh"
command -v python3 >/dev/null || skip "needs python3"

make_hosts 2
write_config 2
start_hoistd
know_neighbours 1 2
ovs-ofctl del-flows br0
ovs-ofctl add-flows br0 - <<'FLOWS'
table=0, priority=100,ct_state=-trk,udp actions=ct(zone=5,table=1)
table=0, priority=90,ct_state=-trk,ip actions=ct(table=1)
table=1, ct_state=+new+trk,udp,in_port=1 actions=ct(commit,zone=5,exec(set_field:0x11->ct_mark,set_field:0x1234->ct_label)),output:2
table=1, ct_state=+new+trk,icmp,in_port=1 actions=ct(commit),output:2
table=1, ct_state=+est+trk,ip,in_port=1 actions=output:2
table=1, ct_state=+est+trk,ip,in_port=2 actions=output:1
FLOWS

dpctl() { ovs-appctl -t "$rundir/hoistd.ctl" "dpctl/$@" 2>&1; }
dump() { dpctl dump-conntrack "$@"; }
# send FROM_PORT COUNT: UDP from host 1, source ports FROM_PORT and following, to port 53 of host 2.
send() {
  in_host 1 python3 -c '
import socket, sys
for port in range(int(sys.argv[1]), int(sys.argv[1]) + int(sys.argv[2])):
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.bind(("10.9.0.1", port))
    s.sendto(b"x", ("10.9.0.2", 53))
    s.close()' "$1" "$2"
}
# Says whether standard input has a line like this. Reads all of it: who writes must not meet a closed pipe.
has() { local text; text=$(cat); grep -qE "$1" <<<"$text"; }
counts() { [ "$(dpctl ct-get-nconns)" = "$1" ]; }
expect() { [ "$2" = "$3" ] || fail "$1: '$2', not '$3'"; }

# What a dump shows.
ping_all 1 2 3
send 4000 3
within 5 counts 4 || fail "not 4 connections: $(dump)"
expect "dump of a zone" "$(dump zone=5 | sort | head -1)" \
  "udp,orig=(src=10.9.0.1,dst=10.9.0.2,sport=4000,dport=53),reply=(src=10.9.0.2,dst=10.9.0.1,sport=53,dport=4000),zone=5,mark=17,labels=0x1234"
dump | has '^icmp,orig=\(src=10.9.0.1,dst=10.9.0.2,id=[0-9]+,type=8,code=0\),reply=\(src=10.9.0.2,dst=10.9.0.1,id=[0-9]+,type=0,code=0\)$' ||
  fail "no ping in the dump: $(dump)"
dump -m -s zone=5 | has ',id=0,zone=5,status=0,timeout=[0-9]+,mark=17' || fail "$(dump -m -s)"
expect "stats" "$(dpctl ct-stats-show)" "Connections Stats:
    Total: 4
  UDP: 3
  ICMP: 1"
dpctl ct-bkts | has '^Current Connections: 4$' || fail "$(dpctl ct-bkts)"

# Flushes.
dpctl flush-conntrack zone=5 'ct_nw_src=10.9.0.1,ct_nw_dst=10.9.0.2,ct_nw_proto=17,ct_tp_src=4000,ct_tp_dst=53'
expect "one is gone" "$(dump zone=5 | grep -c sport=400)" 2
dpctl flush-conntrack 'ct_nw_proto=17,ct_tp_src=4001'
expect "another is gone" "$(dump zone=5 | grep -c sport=400)" 1
dpctl flush-conntrack mark=0x11
expect "marked ones are gone" "$(dump zone=5)" ""
dpctl flush-conntrack 'ct_nw_proto=6'
expect "the ping stays" "$(dpctl ct-get-nconns)" 1
expect "a bad tuple" "$(dpctl flush-conntrack foo=1 | head -1)" \
  "hoistd: invalid conntrack tuple field: foo (Invalid argument)"

# The same in OpenFlow, with ovs-ofctl's extensions.
in_flush() { ovs-ofctl "$1" br0 "${@:2}" || fail "ovs-ofctl $*"; }
dpctl flush-conntrack
send 4000 4
within 5 counts 4 || fail "not 4 connections: $(dump)"
in_flush ct-flush zone=5 'ct_nw_src=10.9.0.1,ct_nw_dst=10.9.0.2,ct_nw_proto=17,ct_tp_src=4000,ct_tp_dst=53'
within 5 counts 3 || fail "a whole tuple: $(dump)"
in_flush ct-flush 'ct_nw_proto=17,ct_tp_src=4001'
within 5 counts 2 || fail "a part of a tuple: $(dump)"
in_flush ct-flush 'ct_nw_proto=17' 'ct_tp_dst=4002'
within 5 counts 1 || fail "a tuple of answers: $(dump)"
in_flush ct-flush-zone 6
in_flush ct-flush zone=6
expect "other zones" "$(dpctl ct-get-nconns)" 1
in_flush ct-flush-zone 5
within 5 counts 0 || fail "a zone: $(dump)"
ping_all 1 2 1
within 5 counts 1 || fail "no ping: $(dump)"
in_flush ct-flush
within 5 counts 0 || fail "all: $(dump)"
ping_all 1 2 1

# Flushes while traffic runs: an answer whose request was forgotten is new, and dropped; all others pass.
in_host 1 ping -n -i 0.005 -c 200 -W 2 10.9.0.2 >"$rundir/ping" &
pinging=$!
while kill -0 $pinging 2>/dev/null; do dpctl flush-conntrack; dump >/dev/null; done
wait $pinging || true
received=$(sed -n 's/.* \([0-9]*\) received.*/\1/p' "$rundir/ping")
[ "$received" -ge 160 ] || fail "of 200 under flushes only $received: $(cat "$rundir/ping")"

# Limits of zones, and of all.
dpctl flush-conntrack
dpctl ct-set-limits default=100 zone=5,limit=2
send 5000 10
within 5 counts 2 || fail "limit of zone 5: $(dump)"
expect "limits" "$(dpctl ct-get-limits zone=5,6)" "default limit=100
zone=5,limit=2,count=2
zone=6,limit=100,count=0"
dpctl ct-del-limits zone=5
send 5000 10
within 5 counts 10 || fail "no limit of zone 5: $(dump)"
dpctl ct-set-limits default=0
expect "most" "$(dpctl ct-set-maxconns 12)" "setting maxconns successful"
send 6000 10
within 5 counts 12 || fail "most connections: $(dpctl ct-get-nconns)"
dpctl ct-set-maxconns 3000000 >/dev/null

expect "switch" "$(dpctl ct-disable-tcp-seq-chk)" "disabling TCP sequence checking successful"
expect "switched" "$(dpctl ct-get-tcp-seq-chk)" "TCP sequence checking: disabled"

# The same with hoistctl.
expect "hoistctl tcp-seq-chk" "$(hoistctl ct tcp-seq-chk)" "TCP sequence checking: disabled"
hoistctl ct tcp-seq-chk on >/dev/null
expect "hoistctl tcp-seq-chk on" "$(dpctl ct-get-tcp-seq-chk)" "TCP sequence checking: enabled"
expect "hoistctl dump" "$(hoistctl ct dump --zone 5 -m | sort)" "$(dump -m zone=5 | sort)"
expect "hoistctl --json" "$(hoistctl --json ct dump --zone 5 | python3 -c 'import json, sys; print(len(json.load(sys.stdin)))')" \
  "$(dump zone=5 | wc -l)"
expect "hoistctl maxconns" "$(hoistctl ct maxconns)" 3000000
hoistctl ct sweep-interval 5000 >/dev/null
expect "hoistctl sweep-interval" "$(hoistctl ct sweep-interval)" 5000
hoistctl ct set-limits zone=7,limit=3
expect "hoistctl limits" "$(hoistctl ct limits --zones 7)" "default limit=0
zone=7,limit=3,count=0"
hoistctl ct del-limits zone=7
expect "hoistctl expectations" "$(hoistctl ct expectations)" ""
hoistctl ct status | has '^refused: zone limit +[1-9]' || fail "nothing refused by zone: $(hoistctl ct status)"
hoistctl ct status | has '^refused: table full +[1-9]' || fail "nothing refused: $(hoistctl ct status)"
hoistctl ct flush --zone 5 --mark 0x11
expect "hoistctl flush" "$(dump zone=5)" ""
hoistctl ct tcp-seq-chk maybe 2>/dev/null && fail "tcp-seq-chk maybe was accepted"

# The configuration, while traffic may run.
cat >>"$rundir/hoist.toml" <<'EOF'
[conntrack]
max_connections = 500000
zone_limit = 1000
tcp_sequence_check = false
[conntrack.timeouts]
udp_first = 7
[[conntrack.zone]]
zone = 5
limit = 50000
timeouts = { udp_first = 20 }
EOF
hoistctl reload >/dev/null
expect "reloaded limits" "$(dpctl ct-get-limits zone=5,6)" "default limit=1000
zone=5,limit=50000,count=0
zone=6,limit=1000,count=0"
expect "reloaded maxconns" "$(dpctl ct-get-maxconns)" 500000
expect "reloaded switch" "$(dpctl ct-get-tcp-seq-chk)" "TCP sequence checking: disabled"
send 7000 1
within 5 counts 1 || fail "no connection after the reload: $(dump)"
dump -s zone=5 | has ',timeout=(1[0-9]|20),' || fail "not the zone's timeout: $(dump -s)"

# A dump of many comes whole. A busy machine may lose some of the packets.
send 10000 20000
lines=$(dump | wc -l)
[ "$lines" -ge "$(dpctl ct-get-nconns)" ] && [ "$lines" -ge 10000 ] || fail "dump of many: $lines lines"
stop_hoistd
