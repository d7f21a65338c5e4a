#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Pings in fragments through the firewall that users know, over IPv4 and IPv6; the same under source NAT;
# and the commands that govern fragments.
. "$(dirname "$0")/network.sh"

make_hosts 2
for n in 1 2; do
  ip link set "$(cable "$n")" mtu 1500
  in_host "$n" ip link set eth0 mtu 1500
done
write_config 2
# af_packet has the kernel put fragments together.
sed -i 's/net_af_packet/net_pcap/' "$rundir/hoist.toml"
start_hoistd
know_neighbours 1 2
for n in 1 2; do
  in_host "$n" sysctl -qw net.ipv6.conf.all.disable_ipv6=0 net.ipv6.conf.eth0.accept_dad=0
  in_host "$n" ip address add "fd00:9::$n/64" dev eth0 nodad
done
in_host 1 ip neighbour replace fd00:9::2 lladdr 02:00:00:00:09:02 dev eth0
in_host 2 ip neighbour replace fd00:9::1 lladdr 02:00:00:00:09:01 dev eth0

dpctl() { ovs-appctl -t "$rundir/hoistd.ctl" "dpctl/$@" 2>&1; }
ask() { in_host "$1" ping -c 1 -W 1 -s "$3" "$2"; }
# passes FROM ADDRESS SIZE: a ping of so many bytes comes back. A busy machine loses some.
passes() { within 20 ask "$@" || fail "no answer to a ping from $*: $(dpctl ipf-get-status) $(flows)"; }
is_stopped() { if ask "$@" >/dev/null; then fail "an answer to a ping from $*"; fi; }
expect() { [ "$2" = "$3" ] || fail "$1: '$2', not '$3'"; }

ovs-ofctl del-flows br0
ovs-ofctl add-flows br0 - <<'FLOWS'
table=0, priority=1 actions=drop
table=0, priority=10,arp actions=NORMAL
table=0, priority=100,ct_state=-trk,ip actions=ct(table=1,zone=9)
table=0, priority=100,ct_state=-trk,ipv6 actions=ct(table=1,zone=9)
table=1, ct_state=+new+trk,in_port=1,icmp actions=ct(commit,zone=9),output:2
table=1, ct_state=+new+trk,in_port=1,icmp6 actions=ct(commit,zone=9),output:2
table=1, ct_state=+new+trk,in_port=1,ipv6,ip_frag=later actions=ct(commit,zone=9),output:2
table=1, ct_state=+est+trk,in_port=1 actions=output:2
table=1, ct_state=+est+trk,in_port=2 actions=output:1
FLOWS

for size in 1600 4000 65507; do passes 1 10.9.0.2 $size; done
for size in 1600 4000; do passes 1 fd00:9::2 $size; done
is_stopped 2 10.9.0.1 4000
is_stopped 2 fd00:9::1 4000
dpctl ipf-get-status | grep -E 'v4 frags completed: [1-9]' >/dev/null || fail "$(dpctl ipf-get-status)"
dpctl ipf-get-status | grep -E 'v6 frags completed: [1-9]' >/dev/null || fail "$(dpctl ipf-get-status)"

expect "off" "$(dpctl ipf-set-disabled v4)" "disabling fragmentation reassembly successful"
is_stopped 1 10.9.0.2 4000
passes 1 10.9.0.2 56
passes 1 fd00:9::2 4000
expect "on" "$(dpctl ipf-set-enabled v4)" "enabling fragmentation reassembly successful"
passes 1 10.9.0.2 4000

expect "large ones only" "$(dpctl ipf-set-min-frag v4 1501)" "setting minimum fragment size successful"
is_stopped 1 10.9.0.2 4000
dpctl ipf-get-status | grep -E 'v4 frags too small: [1-9]' >/dev/null || fail "$(dpctl ipf-get-status)"
dpctl ipf-set-min-frag v4 1200 >/dev/null
expect "few" "$(dpctl ipf-set-max-nfrags 1)" "setting maximum fragments successful"
is_stopped 1 10.9.0.2 4000
dpctl ipf-set-max-nfrags 1000 >/dev/null

ovs-ofctl del-flows br0
ovs-ofctl add-flows br0 - <<'FLOWS'
table=0, priority=10,arp actions=NORMAL
table=0, priority=100,ip actions=ct(nat,table=1,zone=2)
table=1, ct_state=+new+trk,ip,in_port=1 actions=ct(commit,zone=2,nat(src=10.9.0.77)),output:2
table=1, ct_state=+est+trk,ip,in_port=1 actions=output:2
table=1, ct_state=+est+trk,ip,in_port=2 actions=output:1
FLOWS
in_host 2 ip neighbour replace 10.9.0.77 lladdr 02:00:00:00:09:01 dev eth0
dpctl flush-conntrack
for size in 2000 8000; do passes 1 10.9.0.2 $size; done
dpctl dump-conntrack zone=2 | grep -F 'reply=(src=10.9.0.2,dst=10.9.0.77,' >/dev/null || fail "$(dpctl dump-conntrack)"
stop_hoistd
