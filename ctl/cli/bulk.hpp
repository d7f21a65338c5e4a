// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace hoist::ctl {

struct BulkRequest {
  std::string socket;  ///< hoistd's.
  std::string bridge;
  std::string file;  ///< "-": standard input.
  std::string kind;  ///< "flows" or "meters".
  bool keeps_going = false;
};

/// Sends a file to hoistd, with a progress bar if standard error is a terminal; mistakes are named
/// by file and line. Returns the exit status.
int load_file(const BulkRequest& request);

}  // namespace hoist::ctl
