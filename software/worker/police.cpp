// SPDX-License-Identifier: BSD-3-Clause
#include "worker/police.hpp"

#include <algorithm>
#include <array>

#include "meter/meter.hpp"
#include "packet/drop_precedence.hpp"
#include "worker/own_packet.hpp"

namespace hoist::software {
namespace {

constexpr std::size_t kPolicedMax = 64;

Layers layers_of(const rte_mbuf& packet) {
  FlowKey key;
  return parse(packet, PortNo{0}, key);
}

[[gnu::noinline]] void find_l3_offsets(rte_mbuf* const* packets, std::uint32_t count,
                                       std::uint16_t* offsets) {
  for (std::uint32_t i = 0; i < count; ++i) offsets[i] = layers_of(*packets[i]).l2_end;
}

/// Null: lost for want of a buffer.
[[gnu::noinline]] rte_mbuf* remark(Worker& worker, rte_mbuf* packet, unsigned levels) {
  Layers layers = layers_of(*packet);
  if (!layers.is_ip()) return packet;
  packet = own_packet(worker, packet);
  if (packet == nullptr) {
    worker.count_drop(DropReason::kNoBuffer);
    return nullptr;
  }
  raise_drop_precedence(*packet, layers, levels);
  return packet;
}

[[gnu::noinline]] Policed carry_out(Worker& worker, const MeterVerdict& verdict, rte_mbuf** packets,
                                    std::uint32_t count) {
  Policed out{0, 0};
  for (std::uint32_t i = 0; i < count; ++i) {
    rte_mbuf* packet = packets[i];
    if ((verdict.drop >> i & 1) != 0) {
      out.dropped_bytes += packet->pkt_len;
      rte_pktmbuf_free(packet);
      continue;
    }
    if ((verdict.remark >> i & 1) != 0) packet = remark(worker, packet, verdict.prec_level[i]);
    if (packet != nullptr) packets[out.count++] = packet;
  }
  worker.count_drop(DropReason::kMeter,
                    static_cast<std::uint64_t>(__builtin_popcountll(verdict.drop)));
  return out;
}

}  // namespace

Policed police(Worker& worker, Meter& meter, rte_mbuf** packets, std::uint32_t count) noexcept {
  std::array<std::uint16_t, kPolicedMax> lengths;
  std::array<std::uint16_t, kPolicedMax> l3_offsets;
  for (std::uint32_t i = 0; i < count; ++i) {
    lengths[i] = static_cast<std::uint16_t>(std::min<std::uint32_t>(packets[i]->pkt_len, 0xffff));
  }
  if (meter.needs_l3_offsets()) find_l3_offsets(packets, count, l3_offsets.data());
  MeterVerdict verdict;
  meter.police({lengths.data(), count}, l3_offsets.data(), worker.meter_time, verdict);
  if ((verdict.drop | verdict.remark) == 0) return {count, 0};
  return carry_out(worker, verdict, packets, count);
}

}  // namespace hoist::software
