#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# usage: install-dependencies.sh [--tests] [--print]
# Installs on Debian 12 what hoist needs to be built and run (--tests: also what its tests need), if
# something is missing. --print only lists it. The one list of packages.
set -euo pipefail

packages=(
  # build
  build-essential ccache cmake git ninja-build pkg-config
  libabsl-dev libasio-dev libcli11-dev libdpdk-dev libexpected-dev libibverbs-dev libmnl-dev libpcap-dev
  libspdlog-dev libssl-dev libsystemd-dev libtomlplusplus-dev nlohmann-json3-dev
  # ovs-ofctl and ovs-appctl; the quickstart's networks and programs
  curl ethtool iperf3 iproute2 iputils-ping openvswitch-common python3 tcpreplay
  # tests are built along
  libbenchmark-dev libgmock-dev libgtest-dev
)
test_packages=(
  dpdk dpdk-dev                              # dpdk-testpmd, dpdk-test-flow-perf
  python3-netaddr python3-os-ken tcpdump
)

print=0
for argument; do
  case $argument in
    --tests) packages+=("${test_packages[@]}") ;;
    --print) print=1 ;;
    *) sed -n '3,5s/^# //p' "$0"; exit 2 ;;
  esac
done
if [ $print = 1 ]; then printf '%s\n' "${packages[@]}"; exit; fi

missing=()
for package in "${packages[@]}"; do
  state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$state" = installed ] || missing+=("$package")
done
[ ${#missing[@]} = 0 ] && exit
if [ "$(id -u)" != 0 ]; then
  echo "install-dependencies: run as root, or install: ${missing[*]}" >&2
  exit 1
fi
echo "installing: ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
apt-get install -qq -y --no-install-recommends "${missing[@]}" >/dev/null
