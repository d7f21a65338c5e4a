#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# usage: ctl/quickstart.sh
# On a fresh Debian 12 machine, as root, without huge pages or a special NIC: installs what is missing,
# builds hoist, puts it between two network namespaces, gives it rules with ovs-ofctl, runs ping, iperf3
# and curl through it in software, then again with the emulated NIC, and prints one table. Then it makes
# of it a gateway that limits each of many addresses, and prints another. All that it has made, but the
# build, goes away at the end.
set -euo pipefail
cd "$(dirname "$0")/.."

[ "$(id -u)" = 0 ] || { echo "quickstart: run as root" >&2; exit 1; }
seconds=${QUICKSTART_SECONDS:-5}   # of iperf3, per run
build=build/release
mkdir -p /run
rundir=$(mktemp -d /run/hoist-quickstart.XXXXXX)
export HOIST_RUNDIR=$rundir OVS_RUNDIR=$rundir
left=hoist-$$-left right=hoist-$$-right
children=()

clean_up() {
  set +e
  for pid in "${children[@]}"; do kill "$pid" 2>/dev/null; wait "$pid" 2>/dev/null; done
  for ns in "$left" "$right"; do
    ip netns pids "$ns" 2>/dev/null | xargs -r kill
    ip netns del "$ns" 2>/dev/null
  done
  rm -rf "$rundir"
}
trap clean_up EXIT
trap 'exit 130' INT TERM HUP

step() { echo "== $*"; }
give_up() {
  echo "quickstart: $*" >&2
  [ ! -f "$rundir/log" ] || tail -30 "$rundir/log" >&2
  exit 1
}
# Repeats a command until it succeeds, for at most so many seconds.
within() {
  local end=$((SECONDS + $1)); shift
  until "$@" >/dev/null 2>&1; do [ $SECONDS -lt $end ] || return 1; sleep 0.1; done
}
in_left() { ip netns exec "$left" "$@"; }
in_right() { ip netns exec "$right" "$@"; }

step "packages"
ctl/install-dependencies.sh
step "build (release)"
cmake --preset release >"$rundir/cmake.log" 2>&1 || { cat "$rundir/cmake.log"; exit 1; }
cmake --build --preset release --target hoistd hoistctl emulated_nic -j "$(nproc)" | tail -1

# Frames must be whole and carry their checksums: no offloads on the cables.
make_network() {
  local ns n=0
  for ns in "$left" "$right"; do
    n=$((n + 1))
    ip netns add "$ns"
    ip link add "hq$$p$n" type veth peer name eth0 netns "$ns"
    sysctl -qw "net.ipv6.conf.hq$$p$n.disable_ipv6=1"
    ip netns exec "$ns" sysctl -qw net.ipv6.conf.all.disable_ipv6=1
    ip netns exec "$ns" ip address add "10.77.0.$n/24" dev eth0
    ip netns exec "$ns" ethtool -K eth0 tx off rx off tso off gso off gro off >/dev/null
    ethtool -K "hq$$p$n" tx off rx off tso off gso off gro off >/dev/null
    ip link set "hq$$p$n" up
    ip netns exec "$ns" ip link set lo up
    ip netns exec "$ns" ip link set eth0 up
  done
}

write_configuration() {
  local worker=0
  [ "$(nproc)" = 1 ] || worker=1   # core 0 stays for everything else
  cat >"$rundir/hoist.toml" <<EOF
[dpdk]
args = ["--no-huge", "--in-memory", "--no-pci", "-m", "512"]
[datapath]
workers = [$worker]
[offload]
moves_per_second = 2000
[[bridge]]
name = "br0"
[[bridge.port]]
name = "left"
number = 1
devargs = "net_af_packet1,iface=hq$$p1"
[[bridge.port]]
name = "right"
number = 2
devargs = "net_af_packet2,iface=hq$$p2"
EOF
}

write_rules() {
  cat >"$rundir/rules" <<'EOF'
table=0,priority=20,arp,actions=NORMAL
table=0,priority=10,ip,in_port=1,actions=goto_table:1
table=0,priority=10,ip,in_port=2,actions=goto_table:2
table=1,priority=30,icmp,actions=output:2
table=1,priority=20,tcp,tp_dst=5201,actions=output:2
table=1,priority=20,tcp,tp_dst=8080,actions=dec_ttl,output:2
table=2,priority=30,icmp,actions=output:1
table=2,priority=20,tcp,tp_src=5201,actions=output:1
table=2,priority=20,tcp,tp_src=8080,actions=dec_ttl,output:1
EOF
}

# start_switch [PREFIX...]
start_switch() {
  "$@" "$build/ctl/hoistd" --config "$rundir/hoist.toml" >"$rundir/log" 2>&1 &
  switch=$!
  children+=("$switch")
  within 60 ovs-ofctl probe br0 || give_up "hoistd did not start"
  ovs-ofctl del-flows br0
  ovs-ofctl -O OpenFlow13 add-flows br0 "$rundir/rules"
}
stop_switch() {
  kill "$switch"
  wait "$switch" || give_up "hoistd did not end cleanly"
}

# run_traffic NAME: leaves $rundir/NAME.{ping,iperf3,curl,rules}
run_traffic() {
  local name=$1
  in_left ip neighbour flush dev eth0
  in_left ping -n -q -c 200 -i 0.01 -W 2 10.77.0.2 >"$rundir/$name.ping" || give_up "ping: $(cat "$rundir/$name.ping")"
  in_right iperf3 -s -1 >/dev/null 2>&1 &
  children+=($!)
  within 5 eval "in_right ss -tln | grep -q :5201"
  in_left iperf3 -c 10.77.0.2 -t "$seconds" -J >"$rundir/$name.iperf3" || give_up "iperf3: $(cat "$rundir/$name.iperf3")"
  in_left curl -sS -o /dev/null -w '%{speed_download} %{size_download}\n' http://10.77.0.2:8080/file \
    >"$rundir/$name.curl" || give_up "curl"
  ovs-appctl -t "$rundir/hoistd.ctl" hoist/offload >"$rundir/$name.rules"
}

# run_gateway NAME: meters and flows for many addresses, traffic beyond each one's limit in both directions;
# leaves $rundir/NAME.{gateway,placed,before,after,ports}
run_gateway() {
  local name=$1 start placed played ns
  ovs-ofctl del-flows br0
  start=$(date +%s.%N)
  "$build/ctl/hoistctl" --socket "$rundir/hoistd.ctl" add-meters br0 "$rundir/meters" >/dev/null || give_up "add-meters"
  "$build/ctl/hoistctl" --socket "$rundir/hoistd.ctl" add-flows br0 "$rundir/flows" >/dev/null || give_up "add-flows"
  ovs-ofctl -t 120 del-flows br0 table=1   # ends with a barrier: by then each rule has its place
  placed=$(date +%s.%N)
  ovs-ofctl dump-ports br0 >"$rundir/$name.ports.before"
  for ns in "$left" "$right"; do
    ip netns exec "$ns" timeout $((gateway_seconds + 12)) tcpreplay -q -i eth0 --preload-pcap --loop 0 --pps "$gateway_pps" \
      "$rundir/$ns.pcap" >/dev/null 2>&1 &
    replays+=($!)
    children+=($!)
  done
  sleep 10    # until the hot half has found its place
  ovs-ofctl -O OpenFlow13 meter-stats br0 >"$rundir/$name.before"
  sleep "$gateway_seconds"
  ovs-ofctl -O OpenFlow13 meter-stats br0 >"$rundir/$name.after"
  wait "${replays[@]}" || true
  played=$(date +%s.%N)
  replays=()
  ovs-ofctl dump-ports br0 >"$rundir/$name.ports.after"
  ovs-ofctl -O OpenFlow13 meter-stats br0 >"$rundir/$name.end"
  ovs-appctl -t "$rundir/hoistd.ctl" hoist/offload >"$rundir/$name.placed"
  {
    echo "addresses $addresses"
    echo "kbps $gateway_kbps"
    echo "frame_size $gateway_frame_size"
    echo "seconds $(echo "$placed $start" | awk '{print $1 - $2}')"
    echo "played $(echo "$played $placed" | awk '{print $1 - $2}')"
    awk '/VmRSS/ {print "kib", $2}' "/proc/$switch/status"
  } >"$rundir/$name.gateway"
}
addresses=${QUICKSTART_ADDRESSES:-$([ "$(nproc)" -gt 2 ] && echo 200000 || echo 20000)}
gateway_seconds=10
gateway_pps=60000
gateway_kbps=4
gateway_frame_size=250
replays=()
write_gateway() {
  tests/support/gateway.py --addresses "$addresses" --rate $gateway_kbps --burst $gateway_kbps \
    --frame-size $gateway_frame_size --down "$rundir/$left.pcap" --up "$rundir/$right.pcap" \
    "$rundir/meters" "$rundir/flows"
  # A NIC with room for half of it.
  sed "s/^total = .*/total = $((addresses + 200))/; /^\[meters\]/,\$s/^max = .*/max = $((addresses / 2))/" \
    hwtests/profiles/connectx.toml >"$rundir/half.toml"
}

step "network: $left (10.77.0.1) -- hoistd -- $right (10.77.0.2)"
make_network
write_configuration
write_rules
write_gateway
mkdir "$rundir/www"
head -c 33554432 /dev/zero >"$rundir/www/file"
in_right python3 -m http.server 8080 --directory "$rundir/www" >/dev/null 2>&1 &
children+=($!)

step "in software"
start_switch
run_traffic software
stop_switch
step "with the emulated NIC"
start_switch hwtests/with-emulated-nic connectx
run_traffic emulated
stop_switch
step "a gateway, in software"
start_switch
run_gateway software
stop_switch
step "the gateway, with an emulated NIC that has room for half of it"
start_switch hwtests/with-emulated-nic "$rundir/half.toml"
run_gateway emulated
stop_switch

ctl/quickstart-table.py "$rundir"
