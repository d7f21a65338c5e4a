#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The firewall that users know: 1 may open connections to 2, 2 may only answer. With TCP, UDP and ping
# of real hosts; then the same with source NAT.
. "$(dirname "$0")/network.sh"
command -v python3 >/dev/null || skip "needs python3"

make_hosts 2
write_config 2
start_hoistd
ovs-ofctl del-flows br0
ovs-ofctl add-flows br0 - <<'FLOWS'
table=0, priority=1 actions=drop
table=0, priority=10,arp actions=NORMAL
table=0, priority=100,ct_state=-trk,ip actions=ct(table=1)
table=1, ct_state=+new+trk,ip,in_port=1 actions=ct(commit),output:2
table=1, ct_state=+est+trk,ip,in_port=1 actions=output:2
table=1, ct_state=+new+trk,ip,in_port=2 actions=drop
table=1, ct_state=+est+trk,ip,in_port=2 actions=output:1
FLOWS
flows | grep -q 'ct_state=-trk,ip actions=ct(table=1)' || fail "ct does not read back: $(flows)"
flows | grep -q 'ct_state=+new+trk,ip,in_port=1 actions=ct(commit),output:2' || fail "$(flows)"

# serve HOST: answers "hello" on TCP port 8000 until the end.
serve() {
  in_host "$1" python3 -c '
import socket
s = socket.create_server(("", 8000))
while True:
    c, peer = s.accept()
    c.sendall(("hello " + peer[0]).encode())
    c.close()' >/dev/null &
}
# ask FROM TO: prints what the server says, within a second.
ask() {
  in_host "$1" python3 -c '
import socket, sys
print(socket.create_connection((sys.argv[1], 8000), 2).recv(100).decode())' "10.9.0.$2" 2>/dev/null
}
serve 1
serve 2

ping_all 1 2
ping_none 2 1
within 5 ask 1 2 || fail "1 cannot connect to 2"
[ "$(ask 1 2)" = "hello 10.9.0.1" ] || fail "1 connects to 2 as somebody else"
if ask 2 1; then fail "2 can connect to 1"; fi

ovs-ofctl del-flows br0
ovs-ofctl add-flows br0 - <<'FLOWS'
table=0, priority=10,arp actions=NORMAL
table=0, priority=100,ip actions=ct(nat,table=1,zone=2)
table=1, ct_state=+new+trk,ip,in_port=1 actions=ct(commit,zone=2,nat(src=10.9.0.77:5000-5099)),output:2
table=1, ct_state=+est+trk,ip,in_port=1 actions=output:2
table=1, ct_state=+est+trk,ip,in_port=2 actions=output:1
FLOWS
in_host 2 ip neighbour replace 10.9.0.77 lladdr 02:00:00:00:09:01 dev eth0
[ "$(ask 1 2)" = "hello 10.9.0.77" ] || fail "no source NAT: $(ask 1 2) $(flows)"
ping_all 1 2

for helped in 'tcp actions=ct(commit,alg=ftp)' 'udp actions=ct(commit,alg=tftp)'; do
  ovs-ofctl add-flow br0 "$helped" || fail "refused: $helped"
done
for refused in 'udp actions=ct(commit,alg=ftp)' 'actions=ct(commit)' 'ip actions=ct(force)'; do
  if ovs-ofctl add-flow br0 "$refused" 2>/dev/null; then fail "accepted: $refused"; fi
done
stop_hoistd
