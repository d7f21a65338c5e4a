// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "conntrack/track_request.hpp"
#include "conntrack/tuple.hpp"

namespace hoist::software {

/// Goes through the reply tuples that a new connection may get under a NAT range, in Open vSwitch's
/// order: one address by hash; the sender's port first where no range of ports is given, then its
/// neighbours in the same part of the port space; at most a few hundred.
///
///     NatChoice choice(...);
///     while (choice.next()) if (is_free(choice.reply())) ...
class NatChoice {
 public:
  struct Seeds {
    std::uint64_t hash;    ///< Fixed while the switch runs.
    std::uint32_t random;  ///< New each time.
  };
  NatChoice(const Tuple& forward, const NatRange& range, const Seeds& seeds) noexcept;

  /// Goes to the next tuple; false: there are no more.
  [[nodiscard]] bool next() noexcept;
  [[nodiscard]] const Tuple& reply() const noexcept { return reply_; }

 private:
  struct Ports {
    std::uint16_t first, last, start;
  };
  void choose_address(const Tuple& forward, const NatRange& range, std::uint32_t hash) noexcept;
  [[nodiscard]] static Ports source_ports(const Tuple& forward, const NatRange& range,
                                          std::uint32_t offset) noexcept;
  void start_round(const Ports& ports) noexcept;
  void set_port(std::uint16_t port) noexcept;
  [[nodiscard]] bool next_round() noexcept;

  Tuple reply_;
  bool has_ports_;
  bool moves_destination_ports_ = false;
  std::uint32_t random_;
  Ports destination_{}, source_{}, ports_{};
  unsigned tried_ = 0;     ///< In this round.
  unsigned attempts_ = 0;  ///< Allowed in this round.
  std::uint16_t at_ = 0;
  enum class Stage : std::uint8_t { kStart, kDestination, kSource, kDone } stage_ = Stage::kStart;
};

}  // namespace hoist::software
