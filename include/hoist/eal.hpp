// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "hoist/error.hpp"

namespace hoist {

struct EalConfig {
  std::vector<std::string> args;        ///< As DPDK's command lines take them.
  std::vector<unsigned> worker_cores;   ///< One lcore each.
  std::vector<unsigned> control_cores;  ///< That the calling thread may run on; empty: core 0.
  std::string program = "hoistd";       ///< argv[0].
};

/// DPDK's environment, up as long as this lives. One a process.
class Eal {
 public:
  Eal(std::vector<unsigned> worker_lcores, std::string note)
      : worker_lcores_(std::move(worker_lcores)), note_(std::move(note)) {}
  ~Eal();
  Eal(const Eal&) = delete;
  Eal& operator=(const Eal&) = delete;

  /// In the order of EalConfig::worker_cores; for Datapath::Config.
  [[nodiscard]] const std::vector<unsigned>& worker_lcores() const noexcept {
    return worker_lcores_;
  }
  /// What had to be decided, for people, such as that there are no huge pages; empty: nothing.
  [[nodiscard]] const std::string& note() const noexcept { return note_; }

 private:
  std::vector<unsigned> worker_lcores_;
  std::string note_;
};

/// Calling thread: the later control thread, which becomes the main lcore. Where the system has no
/// huge pages and `args` do not say how to do without, adds --no-huge. Where `args` choose lcores
/// themselves
/// (-l, -c, --lcores), worker_lcores() are the worker lcores that there are. Fails with kDevice.
Result<std::unique_ptr<Eal>> start_eal(const EalConfig& config);

}  // namespace hoist
