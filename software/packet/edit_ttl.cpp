// SPDX-License-Identifier: BSD-3-Clause
#include <rte_mbuf.h>

#include "packet/checksum.hpp"
#include "packet/edit.hpp"
#include "packet/wire.hpp"

namespace hoist::software {
namespace {

using namespace wire;

std::uint8_t* data_of(rte_mbuf& packet) noexcept {
  return rte_pktmbuf_mtod(&packet, std::uint8_t*);
}

/// A TTL byte, and the IPv4 header whose checksum covers it.
struct Ttl {
  std::uint8_t* at = nullptr;
  std::uint8_t* ipv4 = nullptr;

  explicit operator bool() const noexcept { return at != nullptr; }
  void set(std::uint8_t ttl) const noexcept {
    if (ipv4 != nullptr) {
      ChecksumDelta delta;
      delta.replace(at, &ttl, 1, false);
      delta.apply(ipv4 + 10);
    }
    *at = ttl;
  }
};

Ttl ip_ttl(std::uint8_t* ip, bool is_ipv4) noexcept {
  return is_ipv4 ? Ttl{ip + 8, ip} : Ttl{ip + 7, nullptr};
}
Ttl network_ttl(rte_mbuf& packet, const Layers& layers) noexcept {
  if (!layers.is_ip()) return {};
  return ip_ttl(data_of(packet) + layers.l3_offset, layers.eth_type == kEthIpv4);
}
Ttl outer_label_ttl(rte_mbuf& packet, const Layers& layers) noexcept {
  if (layers.mpls_count == 0) return {};
  return {data_of(packet) + layers.l2_end + 3, nullptr};
}

// Below the outermost label: the next one, or the IP header that its version says is there (no type
// says so under MPLS).
Ttl next_ttl(rte_mbuf& packet, const Layers& layers) noexcept {
  if (layers.mpls_count == 0) return {};
  std::uint8_t* label = data_of(packet) + layers.l2_end;
  if (layers.mpls_count > 1) return {label + 7, nullptr};
  const bool is_bottom = (label[2] & 1) != 0;
  const std::size_t readable = packet.data_len - layers.l2_end - std::size_t{4};
  if (!is_bottom || readable < 20) return {};
  const unsigned version = label[4] >> 4;
  if (version == 4) return ip_ttl(label + 4, true);
  if (version == 6 && readable >= 40) return ip_ttl(label + 4, false);
  return {};
}

TtlOutcome decrement(Ttl ttl) noexcept {
  if (!ttl) return TtlOutcome::kAbsent;
  if (*ttl.at <= 1) return TtlOutcome::kExpired;
  ttl.set(static_cast<std::uint8_t>(*ttl.at - 1));
  return TtlOutcome::kDecremented;
}

bool set(Ttl ttl, std::uint8_t value) noexcept {
  if (!ttl) return false;
  ttl.set(value);
  return true;
}

}  // namespace

bool set_mpls_ttl(rte_mbuf& packet, Layers& layers, std::uint8_t ttl) noexcept {
  return set(outer_label_ttl(packet, layers), ttl);
}

bool set_nw_ttl(rte_mbuf& packet, Layers& layers, std::uint8_t ttl) noexcept {
  return set(network_ttl(packet, layers), ttl);
}

TtlOutcome dec_mpls_ttl(rte_mbuf& packet, Layers& layers) noexcept {
  return decrement(outer_label_ttl(packet, layers));
}

TtlOutcome dec_nw_ttl(rte_mbuf& packet, Layers& layers) noexcept {
  if (is_ip(layers.eth_type) && layers.l3_offset == Layers::kNone) return TtlOutcome::kExpired;
  return decrement(network_ttl(packet, layers));
}

bool copy_ttl_out(rte_mbuf& packet, Layers& layers) noexcept {
  const Ttl from = next_ttl(packet, layers);
  return from && set(outer_label_ttl(packet, layers), *from.at);
}

bool copy_ttl_in(rte_mbuf& packet, Layers& layers) noexcept {
  const Ttl from = outer_label_ttl(packet, layers);
  return from && set(next_ttl(packet, layers), *from.at);
}

}  // namespace hoist::software
