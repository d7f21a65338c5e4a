// SPDX-License-Identifier: BSD-3-Clause
#include "daemon/affinity.hpp"

#include <sched.h>

#include <algorithm>

namespace hoist::ctl {

std::vector<unsigned> cores_beside(const std::vector<unsigned>& workers) {
  std::vector<unsigned> all;
  std::vector<unsigned> beside;
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) return {};
  for (unsigned core = 0; core < CPU_SETSIZE; ++core) {
    if (!CPU_ISSET(core, &set)) continue;
    all.push_back(core);
    if (std::ranges::find(workers, core) == workers.end()) beside.push_back(core);
  }
  return beside.empty() ? all : beside;
}

void run_on(const std::vector<unsigned>& cores) {
  if (cores.empty()) return;
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const unsigned core : cores) CPU_SET(core, &set);
  sched_setaffinity(0, sizeof set, &set);  // Best effort: it runs elsewhere too.
}

}  // namespace hoist::ctl
