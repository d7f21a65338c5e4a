// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "hoist/match.hpp"
#include "openflow/oxm.hpp"

/// Matches of all wire forms.
namespace hoist::openflow {

/// A cookie that an NXM match carries (NXM_NX_COOKIE).
struct CookieFilter {
  std::uint64_t cookie = 0;
  std::uint64_t mask = 0;
};

/// Reads NXM or OXM entries until `entries` ends. `cookie` null: NXM_NX_COOKIE is an unknown field.
[[nodiscard]] Decoded<void> read_entries(ByteSpan entries, Match& match, CookieFilter* cookie);
/// Takes an ofp_match (OpenFlow 1.3, 7.2.3.1) with its padding.
[[nodiscard]] Decoded<void> take_oxm_match(Reader& in, Match& match);
/// Takes `size` bytes of NXM entries and the padding after them.
[[nodiscard]] Decoded<void> take_nxm_match(Reader& in, std::size_t size, Match& match,
                                           CookieFilter& cookie);
/// Takes the 40 bytes of OpenFlow 1.0's ofp_match (5.2.3). Fields without their prerequisites are
/// ignored, as 1.0 has it. `is_exact` says that nothing is wildcarded.
struct Of10Match {
  Match match;
  bool is_exact;
};
[[nodiscard]] Of10Match take_of10_match(Reader& in);

/// Appends entries for what `match` demands, each field in the narrowest form that says it.
void put_entries(Bytes& out, const MiniMatch& match, Flavor flavor);
/// Appends an ofp_match of OpenFlow 1.3 with padding.
void put_oxm_match(Bytes& out, const MiniMatch& match, Flavor flavor);
/// Appends 40 bytes; what OpenFlow 1.0 cannot say is left out.
void put_of10_match(Bytes& out, const MiniMatch& match);

}  // namespace hoist::openflow
