// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <absl/container/btree_set.h>
#include <absl/container/flat_hash_map.h>
#include <absl/container/inlined_vector.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "hoist/meter.hpp"
#include "hoist/rule.hpp"
#include "meter/meter_form.hpp"

namespace hoist::offload {

/// The meters of a bridge as control has set them.
using MeterConfigs = absl::flat_hash_map<MeterId, std::shared_ptr<const MeterConfig>>;

/// How long a meter is kept in software.
enum class Ban : std::uint8_t {
  kLasting,  ///< Until its rules or its rates change.
  kPassing,  ///< Until it is tried again.
  kNoRoom,   ///< Likewise, or until it is hot enough to take another's place.
};

/// Which rules of one domain use which meter, and which meters may be in hardware. Pure.
class MeterBook {
 public:
  /// `configs` must outlive it.
  explicit MeterBook(const MeterConfigs& configs) : configs_(configs) {}

  void set_capabilities(const MeterCapabilities& capabilities) { capabilities_ = capabilities; }

  /// Rules that name no meter are passed over.
  void add_user(const RuleSpec& rule);
  /// Amortised O(log n) of the meter's rules.
  void remove_user(const RuleSpec& rule);
  /// No rules are left; what is banned is banned no more.
  void clear();
  [[nodiscard]] bool is_empty() const noexcept { return meters_.empty(); }
  [[nodiscard]] std::vector<RuleId> users(MeterId meter) const;
  [[nodiscard]] std::size_t user_count(MeterId meter) const;

  /// A meter's form, or why it cannot be in hardware: it has none, or is banned.
  [[nodiscard]] std::variant<MeterForm, Refused> form(MeterId meter) const;
  /// Keeps a meter in software.
  void ban(MeterId meter, const Refused& why, Ban ban);
  void unban(MeterId meter);
  [[nodiscard]] bool is_banned(MeterId meter) const { return banned_.contains(meter); }
  /// Meters that it is worth while to try again later.
  [[nodiscard]] bool has_passing_bans() const noexcept {
    return !passing_.empty() || !without_room_.empty();
  }
  /// Those of kind kPassing.
  [[nodiscard]] std::vector<MeterId> passing_bans() const {
    return {passing_.begin(), passing_.end()};
  }
  [[nodiscard]] const absl::btree_set<MeterId>& without_room() const noexcept {
    return without_room_;
  }

  /// A rule of the meter has come to hardware; the first creates the meter.
  [[nodiscard]] bool is_in_hardware(MeterId meter) const { return numbers_.contains(meter); }
  [[nodiscard]] std::uint32_t number(MeterId meter) const { return numbers_.at(meter).number; }
  void enter(MeterId meter, std::uint32_t number) { numbers_[meter] = {number, 0}; }
  void acquire(MeterId meter) {
    ++numbers_.at(meter).rule_count;
    touch(meter);
  }
  /// Returns the meter's number if that was the last rule.
  std::optional<std::uint32_t> release(MeterId meter);
  [[nodiscard]] std::size_t hardware_count(MeterId meter) const;
  /// Calls visit(meter, number) for all in hardware.
  template <class Visit>
  void for_each_in_hardware(Visit visit) const {
    for (const auto& [meter, standing] : numbers_) visit(meter, standing.number);
  }

  /// Something about the meter's rules has changed.
  void touch(MeterId meter) {
    if (touched_.empty() || touched_.back() != meter) touched_.push_back(meter);
  }
  /// In ascending order.
  [[nodiscard]] std::vector<MeterId> take_touched();

 private:
  struct Users {
    absl::InlinedVector<RuleId, 4> ids;  ///< One that went is there once more.
    std::uint32_t count = 0;
  };
  struct Standing {
    std::uint32_t number;
    std::uint32_t rule_count;
  };
  const MeterConfigs& configs_;
  MeterCapabilities capabilities_;
  absl::flat_hash_map<MeterId, Users> meters_;
  absl::flat_hash_map<MeterId, Refused> banned_;
  absl::btree_set<MeterId> passing_;       ///< Bans of kind kPassing.
  absl::btree_set<MeterId> without_room_;  ///< Bans of kind kNoRoom.
  absl::flat_hash_map<MeterId, Standing> numbers_;
  std::vector<MeterId> touched_;  ///< Some may be there twice.
};

/// The one meter of a rule, if it names exactly one.
[[nodiscard]] std::optional<MeterId> only_meter(const Instructions& instructions);

}  // namespace hoist::offload
