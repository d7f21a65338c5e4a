#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# usage: headers.sh ROOT CXX
# Every header compiles alone, with its folder's include paths and nothing before it. One that is the
# first include of some .cpp has been compiled so by the build, and is passed over here.
set -u
root=$1 cxx=$2
cd "$root" || exit 1

check_header() {
  local header=$1 folder=${1%%/*} more=()
  case $folder in
    tests) more=(-Itests -Isoftware -Ioffload -Ictl -Ihwtests/emulated_nic -Itests/differential) ;;
    hwtests) more=(-Ihwtests -Ihwtests/emulated_nic -Itests -DALLOW_EXPERIMENTAL_API) ;;
    offload) more=(-Ioffload -DALLOW_EXPERIMENTAL_API) ;;
    *) more=("-I$folder") ;;
  esac
  # shellcheck disable=SC2046 # words are wanted
  echo "#include \"$root/$header\"" |
    "$cxx" -std=c++20 -fsyntax-only -x c++ -march=native -include rte_config.h -Iinclude "${more[@]}" \
      $(pkg-config --cflags-only-I libdpdk libmnl | sed 's/-I/-isystem /g') - ||
    { echo "does not compile alone: $header"; return 1; }
}
export -f check_header
export cxx root

files() { git ls-files --cached --others --exclude-standard "$@"; }
first_includes() {
  files '*.cpp' | while read -r file; do
    [ -f "$file" ] && sed -n 's/^#include "\(.*\)"$/\1/p;T;q' "$file"
  done | sort -u
}
first_includes >"${TMPDIR:-/tmp}/first_includes.$$"
trap 'rm -f "${TMPDIR:-/tmp}/first_includes.$$"' EXIT
files 'include/*.hpp' 'software/*.hpp' 'offload/*.hpp' 'ctl/*.hpp' 'hwtests/*.hpp' 'tests/*.hpp' |
  while read -r header; do
    [ -f "$header" ] || continue
    grep -qxF -e "${header#*/}" -e "$(basename "$header")" "${TMPDIR:-/tmp}/first_includes.$$" || echo "$header"
  done | xargs -P "$(nproc)" -I{} bash -c 'check_header {}' || exit 1
