// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "hoist/datapath.hpp"
#include "hoist/error.hpp"
#include "hoist/types.hpp"

namespace hoist {

/// One direction of a tracked connection. Ports in host order; of ICMP and ICMPv6 src_port is the
/// identifier and dst_port type << 8 | code.
struct ConnectionTuple {
  Ipv6Address src{};  ///< IPv4: the first four bytes.
  Ipv6Address dst{};
  std::uint16_t src_port = 0;
  std::uint16_t dst_port = 0;
  std::uint8_t ip_proto = 0;
  std::uint8_t family = 0;  ///< 4 or 6.

  [[nodiscard]] bool is_icmp() const noexcept { return ip_proto == 1 || ip_proto == 58; }
  bool operator==(const ConnectionTuple&) const = default;
};

/// One end of a tracked TCP connection.
struct TcpEndReport {
  std::uint8_t state = 0;  ///< Index into kTcpStateNames; the order counts.
  std::uint8_t window_scale = 0;
  bool has_window_scale = false;  ///< It sent the option.
  bool is_liberal = false;        ///< Seen from the middle on: its scale is not known.
};
inline constexpr std::array<std::string_view, 11> kTcpStateNames = {
    "CLOSED",     "LISTEN",  "SYN_SENT", "SYN_RECV",   "ESTABLISHED", "CLOSE_WAIT",
    "FIN_WAIT_1", "CLOSING", "LAST_ACK", "FIN_WAIT_2", "TIME_WAIT"};

struct ConnectionReport {
  ConnectionTuple original;
  ConnectionTuple reply;
  std::optional<ConnectionTuple> parent;  ///< Whose helper expected this one.
  std::string_view helper;                ///< Its own: "ftp", "tftp" or none.
  std::uint16_t zone = 0;
  std::uint32_t mark = 0;
  std::array<std::uint8_t, 16> label{};  ///< In network order.
  std::uint64_t timeout_ms = 0;          ///< Until it is forgotten if nothing comes.
  std::uint32_t bucket = 0;              ///< Below Connections::bucket_count().
  std::array<TcpEndReport, 2> tcp{};     ///< Who opened, who answered. TCP only.
};

/// What a tuple has to be. Zero: anything.
struct TupleFilter {
  Ipv6Address src{};
  Ipv6Address dst{};
  std::uint16_t src_port = 0;  ///< Not of ICMP.
  std::uint16_t dst_port = 0;
  std::uint16_t icmp_id = 0;
  std::uint8_t icmp_type = 0;
  std::uint8_t icmp_code = 0;
  bool operator==(const TupleFilter&) const = default;
};

/// Which connections are meant. As it is made: all.
struct ConnectionFilter {
  std::optional<std::uint16_t> zone;
  std::uint8_t family = 0;    ///< 4, 6 or 0: either.
  std::uint8_t ip_proto = 0;  ///< 0: any.
  TupleFilter original;
  TupleFilter reply;
  std::uint32_t mark = 0;
  std::uint32_t mark_mask = 0;
  std::array<std::uint8_t, 16> label{};
  std::array<std::uint8_t, 16> label_mask{};
  bool operator==(const ConnectionFilter&) const = default;

  /// The tuple, if the filter names a whole one and nothing else: then one connection is meant.
  [[nodiscard]] std::optional<ConnectionTuple> whole_tuple() const noexcept;
};

/// Why a connection will be forgotten if nothing comes; in Open vSwitch's order and names
/// (CT_Timeout_Policy).
inline constexpr std::array<std::string_view, 11> kConnectionTimeoutNames = {
    "tcp_syn_sent", "tcp_syn_recv", "tcp_established", "tcp_fin_wait", "tcp_time_wait", "tcp_close",
    "udp_first",    "udp_single",   "udp_multiple",    "icmp_first",   "icmp_reply"};
/// Seconds, in the order of kConnectionTimeoutNames.
using ConnectionTimeouts = std::array<std::uint32_t, kConnectionTimeoutNames.size()>;
/// Open vSwitch's.
inline constexpr ConnectionTimeouts kDefaultConnectionTimeouts = {30, 30, 86400, 900, 45, 30,
                                                                  60, 60, 30,    60,  30};
struct ZoneTimeouts {
  std::uint16_t zone = 0;
  ConnectionTimeouts timeouts_s = kDefaultConnectionTimeouts;
  bool operator==(const ZoneTimeouts&) const = default;
};

struct ZoneLimit {
  std::uint16_t zone = 0;
  std::uint32_t limit = 0;  ///< Connections; 0: no limit.
  std::uint32_t count = 0;  ///< Connections now.
};

/// Packets that asked for a connection (ct(commit)) and got none, since the start.
struct RefusedConnections {
  std::uint64_t table_full = 0;     ///< max_connections() were there; the packet went on as new.
  std::uint64_t zone_limit = 0;     ///< The zone had its limit; likewise.
  std::uint64_t nat_exhausted = 0;  ///< All of nat()'s range was taken; the packet was dropped.
};

/// Connection tracking as control sees and governs it. Control thread. No call waits for a worker,
/// or makes one wait for longer than one connection takes to be copied.
class Connections {
 public:
  /// Where a walk over all connections has got to. Connections that come or go meanwhile may be met
  /// or not; one that stays is met once.
  struct Cursor {
    std::uint32_t place = 0;
  };
  using Visit = std::function<void(const ConnectionReport&)>;

  virtual ~Connections() = default;

  /// Visits the connections that are meant among the next `places` places. False: that was the end.
  virtual bool walk(Cursor& cursor, std::uint32_t places, const ConnectionFilter& filter,
                    const Visit& visit) = 0;
  /// Forgets them instead, and adds to `flushed` how many.
  virtual bool flush(Cursor& cursor, std::uint32_t places, const ConnectionFilter& filter,
                     std::uint64_t& flushed) = 0;
  /// Forgets the connection of which this is a tuple, either way. False: there is none.
  virtual bool flush_one(std::uint16_t zone, const ConnectionTuple& tuple) = 0;

  [[nodiscard]] virtual std::uint32_t count() const = 0;
  [[nodiscard]] virtual std::uint32_t bucket_count() const = 0;
  [[nodiscard]] virtual std::uint32_t max_connections() const = 0;
  /// Below count(): no new ones until enough have gone. Fails with kInvalidArgument above what the
  /// table was made for.
  virtual Result<void> set_max_connections(std::uint32_t most) = 0;

  [[nodiscard]] virtual RefusedConnections refused() const = 0;
  /// How long a connection whose time is over may stay there, at most. Never shorter than it takes
  /// the workers to look at all places.
  [[nodiscard]] virtual std::uint32_t sweep_interval_ms() const = 0;
  virtual void set_sweep_interval_ms(std::uint32_t ms) = 0;

  [[nodiscard]] virtual bool checks_tcp_sequence() const = 0;
  virtual void set_checks_tcp_sequence(bool checks) = 0;

  [[nodiscard]] virtual std::uint32_t default_limit() const = 0;
  virtual void set_default_limit(std::uint32_t limit) = 0;
  [[nodiscard]] virtual ZoneLimit zone_limit(std::uint16_t zone) const = 0;
  /// Zones with a limit of their own, in order.
  [[nodiscard]] virtual std::vector<ZoneLimit> zone_limits() const = 0;
  /// None: the default applies again.
  virtual void set_zone_limit(std::uint16_t zone, std::optional<std::uint32_t> limit) = 0;

  /// Replaces all timeouts: of the zones that are named, and of all others. They count from a
  /// connection's next packet on. Fails with kFull if more than 255 policies differ.
  virtual Result<void> set_timeouts(const ConnectionTimeouts& others,
                                    std::span<const ZoneTimeouts> zones) = 0;
  [[nodiscard]] virtual ConnectionTimeouts timeouts(std::uint16_t zone) const = 0;
};

/// A datapath that tracks connections.
class TracksConnections {
 public:
  virtual ~TracksConnections() = default;
  [[nodiscard]] virtual Connections& connections() = 0;
};

/// Null: the datapath tracks none (a stand-in in a test).
[[nodiscard]] inline Connections* connections_of(Datapath& datapath) {
  auto* tracks = dynamic_cast<TracksConnections*>(&datapath);
  return tracks == nullptr ? nullptr : &tracks->connections();
}

inline std::optional<ConnectionTuple> ConnectionFilter::whole_tuple() const noexcept {
  const bool is_icmp = ip_proto == 1 || ip_proto == 58;
  const bool has_ports =
      is_icmp ? original.icmp_type != 0 : original.src_port != 0 && original.dst_port != 0;
  if (family == 0 || ip_proto == 0 || !has_ports || original.src == Ipv6Address{} ||
      original.dst == Ipv6Address{} || reply != TupleFilter{} || mark_mask != 0 ||
      label_mask != std::array<std::uint8_t, 16>{}) {
    return std::nullopt;
  }
  ConnectionTuple tuple{original.src,      original.dst, original.src_port,
                        original.dst_port, ip_proto,     family};
  if (is_icmp) {
    tuple.src_port = original.icmp_id;
    tuple.dst_port = static_cast<std::uint16_t>(original.icmp_type << 8 | original.icmp_code);
  }
  return tuple;
}

}  // namespace hoist
