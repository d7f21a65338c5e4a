// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "hoist/basic_action.hpp"
#include "hoist/types.hpp"

namespace hoist {

/// The nat argument of CtAction (NXAST_NAT).
struct NatAction {
  enum class Kind : std::uint8_t {
    kExisting,     ///< `nat`: translate as the connection says.
    kSource,       ///< `nat(src...)`
    kDestination,  ///< `nat(dst...)`
  };
  Kind kind = Kind::kExisting;
  bool is_persistent = false;
  bool is_hash = false;
  bool is_random = false;
  std::uint8_t family = 0;       ///< Of the addresses: 4, 6; 0: there are none.
  Ipv6Address first{};           ///< IPv4: in the first four bytes.
  Ipv6Address last{};            ///< All zero: not given.
  std::uint16_t first_port = 0;  ///< 0: not given.
  std::uint16_t last_port = 0;   ///< 0: not given.
  bool operator==(const NatAction&) const = default;
};

/// NXAST_CT: sends the packet through connection tracking. With `table_id`, a copy goes on there
/// with what was found, while the rest of the actions see an untracked packet.
struct CtAction {
  using Exec = std::variant<SetFieldAction, MoveAction>;
  bool commit = false;
  bool force = false;  ///< Needs commit.
  std::uint16_t zone = 0;
  std::optional<FieldBits> zone_source;  ///< Instead of `zone`: at most 16 bits.
  std::optional<std::uint8_t> table_id;
  std::uint16_t alg = 0;  ///< Port of the helper's protocol: 21 FTP, 69 TFTP; 0: none.
  std::optional<NatAction> nat;
  std::vector<Exec> exec;  ///< On ct_mark and ct_label of the connection.
  bool operator==(const CtAction&) const = default;
};

/// NXAST_CT_CLEAR: the packet is untracked again.
struct CtClearAction {
  bool operator==(const CtClearAction&) const = default;
};

}  // namespace hoist
