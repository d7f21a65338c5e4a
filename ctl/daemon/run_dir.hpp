// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "hoist/error.hpp"

namespace hoist::ctl {

/// $HOIST_RUNDIR, else /run/hoist.
[[nodiscard]] std::string run_dir_path();

/// The run directory of this process, held through a lock on its `hoistd.pid` until destruction.
class RunDir {
 public:
  /// Makes the directory where it is missing. Fails with kExists, naming the process, if another
  /// hoistd runs there; with kIo otherwise.
  static Result<RunDir> acquire(const std::string& path);
  RunDir(RunDir&& other) noexcept;
  RunDir& operator=(RunDir&& other) = delete;
  ~RunDir();

  [[nodiscard]] std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  RunDir(std::string path, int pid_fd) : path_(std::move(path)), pid_fd_(pid_fd) {}
  std::string path_;
  int pid_fd_;
};

}  // namespace hoist::ctl
