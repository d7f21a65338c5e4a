// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "hoist/ct_action.hpp"
#include "support/reference/layers.hpp"

namespace hoist::reference {

/// Who speaks to whom in a packet, as far as connection tracking tells packets apart. Of ICMP echo
/// and the like src_port is the identifier; type and code stand apart.
struct Conversation {
  std::uint8_t family = 0;  ///< 4 or 6; 0: nobody.
  std::uint8_t ip_proto = 0;
  Ipv6Address src{}, dst{};  ///< IPv4: in the first four bytes.
  std::uint16_t src_port = 0, dst_port = 0;
  std::uint8_t icmp_type = 0;
  bool operator==(const Conversation&) const = default;

  [[nodiscard]] Conversation reversed() const;
  [[nodiscard]] bool is_icmp() const { return ip_proto == (family == 4 ? 1 : 58); }
};

/// Nothing for a packet that is no part of any: no IP, a fragment, cut short, with a port 0, a
/// wrong checksum (SCTP's is not looked at), ICMP that is no question or answer. TCP, and ICMP
/// errors that quote a packet, are not modelled: nothing for them either.
[[nodiscard]] std::optional<Conversation> find_conversation(const Bytes& frame);

/// Makes the packet one of another conversation, that differs in addresses and ports.
void become(Bytes& frame, const Conversation& other);

/// What ct can know of (ovs-actions(7), ct).
struct Connection {
  std::uint16_t zone;
  Conversation forward, reply;
  NatAction::Kind nat = NatAction::Kind::kExisting;  ///< kExisting: none.
  enum class Seen : std::uint8_t { kFirst, kMore, kBothWays } seen = Seen::kFirst;
  std::uint64_t expires_ms;
  std::uint32_t mark = 0;
  FieldValue label{};
};

/// All connections, in a list. Times are Open vSwitch's defaults.
class Connections {
 public:
  struct Found {
    std::size_t index;
    bool is_reply;
  };
  [[nodiscard]] std::optional<Found> find(std::uint16_t zone, const Conversation& packet,
                                          std::uint64_t now_ms) const;
  /// A packet of a connection has come by.
  void see(const Found& found, std::uint64_t now_ms);
  /// Makes a connection that somebody else's tuple does not stand in the way of. `nat`: null, or
  /// where to: one address. Nothing: all is taken.
  std::optional<std::size_t> open(std::uint16_t zone, const Conversation& packet,
                                  const NatAction* nat, std::uint64_t now_ms);
  void close(std::size_t index) { all_[index].expires_ms = 0; }
  [[nodiscard]] Connection& at(std::size_t index) { return all_[index]; }
  [[nodiscard]] bool is_alive(std::size_t index, std::uint64_t now_ms) const {
    return all_[index].expires_ms > now_ms;
  }

 private:
  std::vector<Connection> all_;
};

}  // namespace hoist::reference
