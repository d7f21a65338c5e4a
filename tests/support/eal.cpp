// SPDX-License-Identifier: BSD-3-Clause
#include "support/eal.hpp"

#include <rte_eal.h>
#include <rte_errno.h>

#include <array>
#include <cstdio>
#include <cstdlib>

namespace hoist::test {
namespace {

bool start() {
  // DPDK keeps and permutes the array: it must live as long as the process.
  static std::array<char[24], 9> words = {
      "test", "--no-huge",  "--no-shconf",    "--no-pci",     "-m",
      "512",  "--lcores=0", "--no-telemetry", "--log-level=4"};
  static std::array<char*, words.size() + 1> arguments{};
  for (std::size_t i = 0; i < words.size(); ++i) arguments[i] = words[i];
  if (rte_eal_init(static_cast<int>(words.size()), arguments.data()) >= 0) return true;
  std::fprintf(stderr, "rte_eal_init: %s\n", rte_strerror(rte_errno));
  std::exit(EXIT_FAILURE);
}

}  // namespace

void start_eal() { [[maybe_unused]] static const bool is_started = start(); }

}  // namespace hoist::test
