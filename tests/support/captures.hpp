// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "support/packet_builder.hpp"

namespace hoist::test {

/// The frames of a pcap or pcapng file as far as they were captured. Files that are damaged yield
/// what comes before the damage, files that are no capture, or not of Ethernet, nothing.
[[nodiscard]] std::vector<Bytes> read_capture(const std::filesystem::path& file);

/// Writes frames as a pcap file. Returns whether all could be written.
[[nodiscard]] bool write_capture(const std::filesystem::path& file, std::span<const Bytes> frames);

/// All capture files below the folder that the environment's HOIST_CAPTURES, or else the build's,
/// names, in order of name. Empty if it is not there: tests then skip.
[[nodiscard]] std::vector<std::filesystem::path> capture_files();

/// The frames of all of them.
[[nodiscard]] std::vector<Bytes> captured_frames();

}  // namespace hoist::test
