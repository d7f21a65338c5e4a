// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <vector>

#include "support/packet_builder.hpp"

namespace hoist::test {

/// The frames of a pcap or pcapng file, as many bytes as were captured. What is cut short or
/// unknown at the end of the file is left out; a file that is neither gives none.
[[nodiscard]] std::vector<Bytes> read_capture(const std::filesystem::path& file);

/// All capture files below a folder, in the order of their names.
[[nodiscard]] std::vector<std::filesystem::path> find_captures(const std::filesystem::path& folder);

}  // namespace hoist::test
