#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# usage: tests/run.sh [CTEST-ARGUMENTS]
# From nothing on a fresh Debian 12: installs what is missing (as root), builds `dev` (ASan and UBSan) and
# `release`, warnings as errors, and runs all tests. Ends with ctest's summary line; exit status 0 if all passed.
set -euo pipefail
cd "$(dirname "$0")/.."

ctl/install-dependencies.sh --tests
jobs=$(nproc)

# Each test runs where it tells most: what depends on the optimizer and the instruction set in both builds,
# real daemons, speed and style in the optimized one, what reads untrusted bytes or is plain logic with the sanitizers.
cmake --preset dev -DHOIST_WERROR=ON "-DHOIST_TEST_FOLDERS=software;offload;ctl;hwtests;differential;fuzz"
cmake --preset release -DHOIST_WERROR=ON "-DHOIST_TEST_FOLDERS=software;hwtests;differential;system;bench;style"
cmake --build --preset dev -j "$jobs"
cmake --build --preset release -j "$jobs"

# One run over both builds, so that there is one summary.
cat >build/CTestTestfile.cmake <<'EOF'
subdirs("dev" "release")
EOF
log=build/tests.log
status=0
(cd build && ctest --output-on-failure -j "$jobs" "$@") 2>&1 | tee "$log" || status=$?
grep -E '[0-9]+% tests passed' "$log" | tail -1
exit $status
