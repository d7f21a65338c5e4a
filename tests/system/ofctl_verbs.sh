#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Debian's ovs-ofctl as it stands, in its default version and in OpenFlow 1.3.
. "$(dirname "$0")/network.sh"
make_hosts 2
write_config 2
start_hoistd
says() {
  local pattern=$1; shift
  local out
  out=$("$@" 2>&1) || fail "$*: $out"
  grep -qE -- "$pattern" <<<"$out" || fail "$*: no '$pattern' in: $out"
}
cat >"$rundir/rules" <<'EOF'
table=0, priority=1 actions=drop
table=0, priority=10,arp actions=NORMAL
dl_type=0x0800,nw_proto=17,nw_src=17.18.19.20,nw_dst=34.35.36.38,udp_dst=4369,action=output:2
in_port=p1,ip,ip_dst=1.1.1.7 action=output:p2
table=3,ipv6,ipv6_dst=fd00::/64,tcp6,tp_dst=0x50/0xfff0,actions=dec_ttl,output:1
EOF
for version in "" "-O OpenFlow13"; do
  # shellcheck disable=SC2086 # nothing or two words
  ofctl() { ovs-ofctl $version "$@"; }
  ofctl del-flows br0
  ofctl add-flows br0 "$rundir/rules"
  says 'n_tables:254|\(p1\)' ofctl show br0
  says 'port +"?p?1"?:' ofctl dump-ports br0
  says '\(p2\)' ofctl dump-ports-desc br0
  says 'table' ofctl dump-tables br0
  says 'flow_count=5' ofctl dump-aggregate br0
  says 'udp,nw_src=17.18.19.20,nw_dst=34.35.36.38,tp_dst=4369 actions=output:("?p2"?|2)' ofctl dump-flows br0
  ofctl mod-flows br0 "arp,actions=drop"
  says 'arp actions=drop' ofctl dump-flows br0
  ofctl --strict del-flows br0 "priority=10,arp"
  says 'flow_count=4' ofctl dump-aggregate br0
  ofctl del-flows br0 "ip"
  says 'flow_count=2' ofctl dump-aggregate br0
  says 'flow_count=1' ofctl dump-aggregate br0 table=3
  says '' ofctl probe br0
  says 'bytes from' ofctl ping br0
  if ofctl add-flow br0 "ip,actions=group:7" 2>"$rundir/err"; then fail "a group that is not there was taken"; fi
  grep -q OFPT_ERROR "$rundir/err" || fail "no OpenFlow error: $(cat "$rundir/err")"
  says 'flow_count=2' ofctl dump-aggregate br0
done
