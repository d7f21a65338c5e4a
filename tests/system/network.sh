# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Sourced by the tests of this folder: hosts in network namespaces, a hoistd between them, and the few
# words that tests are written in. All names carry the process id, everything goes away on exit.
# From ctest: HOIST_BIN (a build folder), HOIST_SOURCE (the repository), HOIST_NIC (a profile of the
# emulated NIC, or nothing).
set -euo pipefail

: "${HOIST_SOURCE:=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)}"
: "${HOIST_BIN:=$HOIST_SOURCE/build/release}"
: "${HOIST_NIC:=}"
kSkipped=77
test_name=$(basename "$0" .sh)
rundir=$(mktemp -d "/tmp/hoist-$test_name-$$.XXXXXX")
export HOIST_RUNDIR=$rundir OVS_RUNDIR=$rundir
hoistd_pid=
namespaces=()

skip() { echo "skipped: $*"; exit $kSkipped; }
fail() {
  echo "FAILED: $*"
  [ -f "$rundir/log" ] && { echo "--- the daemon's log"; tail -40 "$rundir/log"; }
  exit 1
}

clean_up() {
  set +e
  [ -n "$hoistd_pid" ] && { kill "$hoistd_pid"; wait "$hoistd_pid"; } 2>/dev/null
  for monitor in "$rundir"/*.monitor.pid; do [ -f "$monitor" ] && kill "$(cat "$monitor")"; done 2>/dev/null
  for ns in "${namespaces[@]}"; do
    # What a test left running there would hold its output open for ever.
    ip netns pids "$ns" | xargs -r kill
    ip netns del "$ns"
  done
  rm -rf "$rundir"
}
trap clean_up EXIT
trap 'exit 130' INT TERM

[ "$(id -u)" = 0 ] || skip "needs root"
for tool in ip ethtool ovs-ofctl ovs-appctl ping; do
  command -v $tool >/dev/null || skip "needs $tool"
done
[ -x "$HOIST_BIN/ctl/hoistd" ] || skip "no $HOIST_BIN/ctl/hoistd"
ip netns add "hoist$$-probe" 2>/dev/null || skip "no network namespaces here"
ip netns del "hoist$$-probe"

# Repeats a command until it succeeds, for at most so many seconds.
within() {
  local seconds=$1 end; shift
  end=$((SECONDS + seconds))
  until "$@" >/dev/null 2>&1; do
    [ $SECONDS -lt $end ] || return 1
    sleep 0.05
  done
}

host() { echo "hoist$$-$1"; }
# in_host N COMMAND...: runs it on host N.
in_host() { local ns; ns=$(host "$1"); shift; ip netns exec "$ns" "$@"; }

# make_hosts COUNT: hosts 1 to COUNT, each with eth0 (10.9.0.N, MAC 02:00:00:00:09:0N) and a cable to an
# interface of the switch. Frames are on the wire as they will be seen: no offloads.
make_hosts() {
  local n ns far
  for n in $(seq "$1"); do
    ns=$(host "$n") far=$(cable "$n")
    ip netns add "$ns"
    namespaces+=("$ns")
    ip link add "$far" type veth peer name eth0 netns "$ns"
    sysctl -qw "net.ipv6.conf.$far.disable_ipv6=1"
    in_host "$n" sysctl -qw net.ipv6.conf.all.disable_ipv6=1
    in_host "$n" ip link set eth0 address "02:00:00:00:09:0$n"
    in_host "$n" ip address add "10.9.0.$n/24" dev eth0
    in_host "$n" ethtool -K eth0 tx off rx off gso off gro off tso off >/dev/null
    ethtool -K "$far" tx off rx off gso off gro off tso off >/dev/null
    ip link set "$far" up
    in_host "$n" ip link set eth0 up
    in_host "$n" ip link set lo up
  done
}
cable() { echo "h$$p$1"; }

# write_config COUNT: bridge br0 with ports p1 to pCOUNT on the cables.
write_config() {
  local n worker=1
  [ "$(nproc)" -gt 1 ] || worker=0
  cat >"$rundir/hoist.toml" <<EOF
[dpdk]
args = ["--no-huge", "--in-memory", "--no-pci", "-m", "512"]
[datapath]
workers = [$worker]
flow_cache_entries = 16384
[[bridge]]
name = "br0"
EOF
  for n in $(seq "$1"); do
    cat >>"$rundir/hoist.toml" <<EOF
[[bridge.port]]
name = "p$n"
number = $n
devargs = "net_af_packet$n,iface=$(cable "$n")"
EOF
  done
}

# start_hoistd [COMMAND-PREFIX...]: in the background; returns when it answers.
start_hoistd() {
  local nic=()
  [ -z "$HOIST_NIC" ] || nic=("$HOIST_SOURCE/hwtests/with-emulated-nic" "$HOIST_NIC")
  EMULATED_NIC_LIBRARY="$HOIST_BIN/hwtests/libemulated_nic.so" "$@" "${nic[@]}" "$HOIST_BIN/ctl/hoistd" --config "$rundir/hoist.toml" \
    >>"$rundir/log" 2>&1 &
  hoistd_pid=$!
  within 60 answers || fail "hoistd does not answer"
}
answers() {
  kill -0 "$hoistd_pid" || exit 1
  ovs-ofctl probe br0
}
stop_hoistd() {
  kill -TERM "$hoistd_pid"
  local status=0
  within 10 is_gone || fail "hoistd does not end on SIGTERM"
  wait "$hoistd_pid" || status=$?
  hoistd_pid=
  [ $status = 0 ] || fail "hoistd ended with status $status"
}
is_gone() { ! kill -0 "$hoistd_pid"; }

hoistctl() { "$HOIST_BIN/ctl/hoistctl" "$@"; }
flows() { ovs-ofctl dump-flows br0 "$@"; }
# packets_of MATCH: n_packets of the one flow that the text names.
packets_of() { flows "$1" | sed -n 's/.*n_packets=\([0-9]*\).*/\1/p' | head -1; }

# monitor NAME ARGUMENTS...: ovs-ofctl monitor in the background, its output in $rundir/NAME.out.
monitor() {
  local name=$1; shift
  ovs-ofctl monitor br0 "$@" --pidfile="$rundir/$name.monitor.pid" >"$rundir/$name.out" 2>&1 &
  within 5 test -s "$rundir/$name.monitor.pid" || fail "ovs-ofctl monitor does not start"
}
monitor_says() { within 5 grep -q -- "$2" "$rundir/$1.out" || fail "monitor never said '$2': $(cat "$rundir/$1.out")"; }

# ping_all FROM TO [COUNT]: fails unless every echo comes back.
ping_all() {
  local out
  out=$(in_host "$1" ping -n -i 0.02 -c "${3:-10}" -W 2 "10.9.0.$2") || true
  grep -q ' 0% packet loss' <<<"$out" || fail "ping $1 to $2: $out
$(hoistctl drops | grep -v ' 0$')
$(ovs-ofctl dump-ports br0)
$(flows)"
}
ping_none() {
  if in_host "$1" ping -n -q -i 0.1 -c 3 -W 1 "10.9.0.$2" >/dev/null; then fail "ping $1 to $2 came back"; fi
}
# know_neighbours A B: no ARP between the two.
know_neighbours() {
  in_host "$1" ip neighbour replace "10.9.0.$2" lladdr "02:00:00:00:09:0$2" dev eth0
  in_host "$2" ip neighbour replace "10.9.0.$1" lladdr "02:00:00:00:09:0$1" dev eth0
}
