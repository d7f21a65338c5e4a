#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# NAT with real hosts: destinations, ranges of addresses and ports, ranges that run out, the source that
# stays as it is, marks that later rules match, and FTP, whose payload names addresses.
. "$(dirname "$0")/network.sh"
command -v python3 >/dev/null || skip "needs python3"

make_hosts 2
write_config 2
start_hoistd
know_neighbours 1 2
# behind HOST ADDRESS LAST...: the other host finds 10.9.0.LAST at HOST.
behind() {
  local host=$1 last; shift
  for last in "$@"; do
    in_host $((3 - host)) ip neighbour replace "10.9.0.$last" lladdr "02:00:00:00:09:0$host" dev eth0
  done
}
behind 1 70 71 72 73 77 80
behind 2 50

# rules NEW: what new connections of host 1 get; answers come back by the connection.
rules() {
  ovs-ofctl del-flows br0
  hoistctl ct flush
  ovs-ofctl add-flows br0 - <<FLOWS
table=0, priority=10,arp actions=NORMAL
table=0, priority=100,ip actions=ct(nat,table=1,zone=1)
table=1, priority=20,ct_state=+new-rel+trk,tcp,in_port=1 actions=$1,output:2
table=1, priority=20,ct_state=+new+rel+trk,ip,in_port=1 actions=ct(commit,nat,zone=1),output:2
table=1, priority=20,ct_state=+new+rel+trk,ip,in_port=2 actions=ct(commit,nat,zone=1),output:1
table=1, priority=10,ct_state=+est+trk,ip,in_port=1 actions=output:2
table=1, priority=10,ct_state=+est+trk,ip,in_port=2 actions=output:1
FLOWS
}
in_host 2 python3 -c '
import socket, threading
def serve(port):
    s = socket.create_server(("", port))
    while True:
        c, peer = s.accept()
        c.sendall(("%s:%d at %d" % (peer[0], peer[1], port)).encode())
        c.close()
for port in (8000, 8001):
    threading.Thread(target=serve, args=(port,)).start()' >/dev/null &
# ask ADDRESS PORT [FROM_PORT]: what the server says of whom it sees.
ask() {
  in_host 1 python3 -c '
import socket, sys
source = ("", int(sys.argv[3])) if len(sys.argv) > 3 else None
print(socket.create_connection((sys.argv[1], int(sys.argv[2])), 2, source).recv(100).decode())' "$@" 2>/dev/null
}
expect() { [[ "$2" =~ ^$3$ ]] || fail "$1: '$2', not '$3': $(hoistctl ct dump) $(flows)"; }

rules 'ct(commit,zone=1,nat(dst=10.9.0.2:8000))'
within 5 ask 10.9.0.50 80 || fail "destination NAT: $(hoistctl ct dump)"
expect "destination NAT" "$(ask 10.9.0.50 80)" '10\.9\.0\.1:[0-9]+ at 8000'

rules 'ct(commit,zone=1,nat(src=10.9.0.70-10.9.0.73))'
seen=$(for port in $(seq 20000 20031); do ask 10.9.0.2 8000 "$port"; done)
expect "all in the range" "$(grep -cE '^10\.9\.0\.7[0-3]:' <<<"$seen")" 32
[ "$(cut -d: -f1 <<<"$seen" | sort -u | wc -l)" -ge 2 ] || fail "one address of the range only: $seen"

rules 'ct(commit,zone=1,nat(src=10.9.0.80:6000-6002))'
for port in 21000 21001 21002; do
  expect "a port of the range" "$(ask 10.9.0.2 8000 $port)" '10\.9\.0\.80:600[0-2] at 8000'
done
if ask 10.9.0.2 8000 21003; then fail "a fourth connection through three ports"; fi
hoistctl --json drops | grep -E '"nat_exhausted": [1-9]' >/dev/null || fail "no reason: $(hoistctl drops)"
hoistctl ct status | grep -E '^refused: NAT range exhausted +[1-9]' >/dev/null || fail "$(hoistctl ct status)"

rules 'ct(commit,zone=1,nat(src=0.0.0.0))'
expect "the source stays where nothing clashes" "$(ask 10.9.0.2 8000 22000)" '10\.9\.0\.1:22000 at 8000'

rules 'ct(commit,zone=1,exec(set_field:0x5->ct_mark))'
ovs-ofctl add-flow br0 'table=1,priority=30,ct_state=+est+trk,ct_mark=0x5,tcp,tp_src=8001 actions=drop'
expect "a mark that no rule minds" "$(ask 10.9.0.2 8000)" '10\.9\.0\.1:[0-9]+ at 8000'
if ask 10.9.0.2 8001; then fail "ct_mark does not match on answers"; fi
expect "the mark in the dump" "$(hoistctl ct dump --zone 1 | grep -c mark=5)" '[1-9][0-9]*'

in_host 2 python3 "$(dirname "$0")/ftp_server.py" 10.9.0.2 >"$rundir/ftp" 2>&1 &
# list MODE: names over a data connection that the client (1) or the server (0) opens.
list() {
  in_host 1 python3 -c '
import ftplib, sys
ftp = ftplib.FTP("10.9.0.2", timeout=3)
ftp.login()
ftp.set_pasv(int(sys.argv[1]))
print(ftp.nlst())' "$1" 2>&1
}
for commit in 'ct(commit,zone=1,alg=ftp)' 'ct(commit,zone=1,alg=ftp,nat(src=10.9.0.77))'; do
  rules "$commit"
  within 5 list 1 || fail "no FTP server: $(list 1) $(cat "$rundir/ftp")"
  expect "passive FTP, $commit" "$(list 1)" "\['file'\]"
  expect "active FTP, $commit" "$(list 0)" "\['file'\]"
  expect "helpers' connections, $commit" "$(hoistctl ct dump | grep -c 'helper=ftp')" '[1-9][0-9]*'
done
expect "data connections have a parent" "$(hoistctl ct dump -m | grep -c 'parent=')" '[1-9][0-9]*'
rules 'ct(commit,zone=1)'
if list 0 | grep -F file >/dev/null; then fail "active FTP passed without a helper"; fi
stop_hoistd
