// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "openflow/fault.hpp"
#include "openflow/message.hpp"

namespace hoist::openflow {

/// The messages that a bundle has gathered (OpenFlow 1.4, 6.9), as they came: they take a fifth of
/// what decoded ones would.
class Bundle {
 public:
  explicit Bundle(std::uint16_t flags) : flags_(flags) {}

  [[nodiscard]] std::uint16_t flags() const noexcept { return flags_; }
  [[nodiscard]] bool is_closed() const noexcept { return is_closed_; }
  void close() noexcept { is_closed_ = true; }
  /// A message could not be taken: the bundle can no longer be committed whole.
  [[nodiscard]] bool is_spoilt() const noexcept { return is_spoilt_; }
  void spoil() noexcept { is_spoilt_ = true; }

  void add(std::span<const std::uint8_t> message);
  /// Calls visit(message) in order until it returns false.
  template <class Visit>
  void for_each(Visit visit) const {
    for (const std::vector<std::uint8_t>& block : blocks_) {
      std::span<const std::uint8_t> rest = block;
      while (!rest.empty()) {
        const std::size_t size = static_cast<std::size_t>(rest[2]) << 8 | rest[3];
        if (!visit(rest.first(size))) return;
        rest = rest.subspan(size);
      }
    }
  }

 private:
  std::uint16_t flags_;
  bool is_closed_ = false;
  bool is_spoilt_ = false;
  /// Whole messages; a block never grows beyond what it has reserved, so none is copied again.
  std::vector<std::vector<std::uint8_t>> blocks_;
};

/// The bundles of one connection.
class BundleTable {
 public:
  // OFPBCT_* (OpenFlow 1.4, 7.3.9.2).
  static constexpr std::uint16_t kOpen = 0;
  static constexpr std::uint16_t kClose = 2;
  static constexpr std::uint16_t kCommit = 4;
  static constexpr std::uint16_t kDiscard = 6;
  static constexpr std::uint16_t kAtomic = 1;  ///< OFPBF_*.
  static constexpr std::uint16_t kOrdered = 2;
  static constexpr std::size_t kBundlesMax = 64;

  Decoded<void> open(std::uint32_t bundle_id, std::uint16_t flags);
  Decoded<void> close(std::uint32_t bundle_id, std::uint16_t flags);
  Decoded<void> discard(std::uint32_t bundle_id);
  /// Opens the bundle if it is not. `message` is whole.
  Decoded<void> add(std::uint32_t bundle_id, std::uint16_t flags,
                    std::span<const std::uint8_t> message);
  /// Notes that a message of the bundle was refused.
  void spoil(std::uint32_t bundle_id);
  /// Takes the bundle out for commit.
  Decoded<Bundle> take(std::uint32_t bundle_id, std::uint16_t flags);

 private:
  std::map<std::uint32_t, Bundle> bundles_;
};

}  // namespace hoist::openflow
