// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hoist/connections.hpp"
#include "hoist/error.hpp"

namespace hoist::ctl {

/// What a dpctl/ct-... command was told, without options and the datapath's name. There is one
/// datapath; it answers to Open vSwitch's names for its own, too.
struct ConnectionArguments {
  bool is_verbose = false;  ///< -m, --more
  bool has_stats = false;   ///< -s, --statistics
  std::vector<std::string> words;

  /// Fails with kInvalidArgument, in Open vSwitch's words.
  static Result<ConnectionArguments> read(const std::vector<std::string>& arguments);
  /// For commands that take no more words than one of `key`=NUMBER: the number.
  [[nodiscard]] Result<std::optional<std::uint32_t>> only(std::string_view key,
                                                          std::uint32_t most) const;
};

/// "[zone=N] [mark=V[/M]] [labels=V[/M]] [ORIGINAL [REPLY]]".
[[nodiscard]] Result<ConnectionFilter> read_connection_filter(
    const std::vector<std::string>& words);

/// "default=L" and "zone=N,limit=L" words.
struct LimitChanges {
  std::optional<std::uint32_t> default_limit;
  std::vector<ZoneLimit> zones;
};
[[nodiscard]] Result<LimitChanges> read_limits(const std::vector<std::string>& words);
/// "zone=N1[,N2]...".
[[nodiscard]] Result<std::vector<std::uint16_t>> read_zones(const std::string& word);

/// An error as dpctl says it: "hoistd: WHAT (Invalid argument)".
[[nodiscard]] tl::unexpected<Error> dpctl_error(std::string_view what,
                                                std::string_view why = "Invalid argument");

}  // namespace hoist::ctl
