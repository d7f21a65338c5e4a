// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <variant>

#include "hoist/match.hpp"
#include "translate/context.hpp"
#include "translate/hazard.hpp"
#include "translate/hw_match.hpp"
#include "translate/refused.hpp"

namespace hoist::offload {

/// A rule's match in hardware form.
struct HwMatches {
  std::array<HwMatch, 2> forms{};  ///< One for each form of packet: untagged, tagged.
  std::uint8_t count = 0;
  HazardSet hazards;        ///< The forms are exact only with these kept away.
  bool needs_tags = false;  ///< Only TagMode::kSingle lets it match.
  bool is_never = false;    ///< No packet that is in hardware can match: no rule, no guard.
  /// All that it matches is among `hazards`: keeping those away is the whole guard, without a form.
  bool is_steered = false;
  Match matched;  ///< What the forms match: the rule's match, or a wider one.
};

enum class Precision : std::uint8_t {
  kExact,  ///< Any bit without a hardware form is a refusal.
  kWide,   ///< Such bits are left out: good for guards alone.
};

/// Items that actions need in the pattern.
struct NeededItems {
  bool l3 = false;
  bool l4 = false;
};

/// Pure. Clears each mask bit that it has expressed; what is left is a refusal, or left out.
std::variant<HwMatches, Refused> translate_match(const Match& match, const Context& context,
                                                 Precision precision, NeededItems needed = {});

/// EtherType that a match pins down; 0 if it does not.
[[nodiscard]] std::uint16_t exact_eth_type(const Match& match) noexcept;
/// IP protocol that a match of IPv4 or IPv6 pins down; 0 if it does not.
[[nodiscard]] std::uint8_t exact_ip_proto(const Match& match) noexcept;

/// What a match says about the outer VLAN tag.
enum class TagForm : std::uint8_t { kAgnostic, kUntagged, kTagged };
[[nodiscard]] TagForm tag_form(const Match& match) noexcept;

}  // namespace hoist::offload
