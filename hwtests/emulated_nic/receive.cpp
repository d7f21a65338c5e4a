// SPDX-License-Identifier: BSD-3-Clause
#include <rte_byteorder.h>
#include <rte_ether.h>
#include <rte_flow.h>
#include <rte_mbuf.h>

#include <mutex>

#include "flight.hpp"
#include "modify.hpp"
#include "nic.hpp"

namespace emulated_nic {
namespace {

constexpr unsigned kMaxHops = 64;

/// What becomes of a packet.
struct Verdict {
  enum class Kind : std::uint8_t { kMiss, kDrop, kLost, kQueue, kPort, kRepresentor, kJump } kind;
  std::uint16_t number = 0;  ///< Queue or port.
  Group* group = nullptr;
};

/// Packets to be sent, per port, for one burst.
class Outbox {
 public:
  explicit Outbox(Nic& nic, std::uint16_t queue) : nic_(nic), queue_(queue) {}
  ~Outbox() {
    for (std::uint16_t port = 0; port < RTE_MAX_ETHPORTS; ++port) {
      if (counts_[port] != 0) flush(port);
    }
  }
  Outbox(const Outbox&) = delete;
  Outbox& operator=(const Outbox&) = delete;

  void put(std::uint16_t port, rte_mbuf* mbuf) {
    batches_[port][counts_[port]++] = mbuf;
    if (counts_[port] == kBatch) flush(port);
  }

 private:
  static constexpr std::uint16_t kBatch = 32;

  void flush(std::uint16_t port) {
    const auto& queues = nic_.port(port).tx;
    rte_mbuf** mbufs = batches_[port].data();
    const std::uint16_t count_all = counts_[port];
    counts_[port] = 0;
    std::uint16_t sent = 0;
    if (!queues.empty()) sent = queues[queue_ % queues.size()]->send(mbufs, count_all);
    count(nic_.books().forwarded, sent);
    if (sent == count_all) return;
    count(nic_.books().lost_transmit, static_cast<std::uint64_t>(count_all - sent));
    rte_pktmbuf_free_bulk(mbufs + sent, static_cast<unsigned>(count_all - sent));
  }

  Nic& nic_;
  const std::uint16_t queue_;
  std::array<std::uint16_t, RTE_MAX_ETHPORTS> counts_{};
  std::array<std::array<rte_mbuf*, kBatch>, RTE_MAX_ETHPORTS> batches_;
};

/// Takes one burst of one queue through the rules.
class Burst {
 public:
  Burst(Nic& nic, RxQueue& queue, std::uint64_t now_ns)
      : nic_(nic),
        queue_(queue),
        now_ns_(now_ns),
        now_ms_(now_ns / 1'000'000),
        outbox_(nic, queue.queue) {}

  /// The packet for the application, or null.
  rte_mbuf* carry(rte_mbuf* mbuf) {
    Flight flight;
    flight.mbuf = mbuf;
    flight.fields.set(slot::kPort, std::uint32_t{queue_.port});
    const bool was_stripped = insert_stripped_vlan(flight);
    Verdict verdict = steer(flight);
    if (verdict.kind == Verdict::Kind::kMiss && nic_.port(queue_.port).is_isolated) {
      count(nic_.books().lost_isolated);
      verdict.kind = Verdict::Kind::kLost;
    }
    return deliver(verdict, flight, was_stripped);
  }

 private:
  /// Transfer rules first; what they let through meets the ingress rules of its port.
  Verdict steer(Flight& flight) {
    const Verdict verdict = run(nic_.transfer_root(), flight);
    if (verdict.kind != Verdict::Kind::kMiss) return verdict;
    if (!nic_.profile().mark_crosses_domains) forget_marks(flight);
    const Flight before = flight;
    const Verdict ingress = run(*nic_.port(queue_.port).ingress_root, flight);
    if (ingress.kind == Verdict::Kind::kMiss) {  // What rules on the way to a miss marked is void.
      flight.is_marked = before.is_marked;
      flight.is_flagged = before.is_flagged;
      flight.has_meta = before.has_meta;
      flight.fields.set(slot::kMark, before.fields.get<std::uint32_t>(slot::kMark));
      flight.fields.set(slot::kMeta, before.fields.get<std::uint32_t>(slot::kMeta));
    }
    return ingress;
  }

  static void forget_marks(Flight& flight) {
    flight.is_marked = flight.is_flagged = flight.has_meta = false;
    flight.fields.set(slot::kMark, std::uint64_t{0});  // MARK and META.
  }

  Verdict run(Group& root, Flight& flight) {
    Group* group = &root;
    for (unsigned hop = 0; hop < kMaxHops; ++hop) {
      if (group->size() == 0) return {Verdict::Kind::kMiss};
      flight.refresh();
      Rule* rule = group->find(flight.fields);
      if (rule == nullptr) return {Verdict::Kind::kMiss};
      rule->hits.add(rte_pktmbuf_pkt_len(flight.mbuf));
      if (rule->program.has_age) rule->last_hit_ms.store(now_ms_, std::memory_order_relaxed);
      const Verdict verdict = execute(rule->program, flight);
      if (verdict.kind != Verdict::Kind::kJump) return verdict;
      group = verdict.group;
    }
    count(nic_.books().lost_hops);
    return {Verdict::Kind::kLost};
  }

  Verdict execute(const Program& program, Flight& flight) {
    Verdict verdict{Verdict::Kind::kMiss};
    for (const Op& op : program.ops) {
      if (op.kind <= OpKind::kRepresentor) {
        verdict = fate(op, program, flight);
      } else if (op.kind < OpKind::kPopVlan) {
        if (!note(op, program, flight)) return {Verdict::Kind::kLost};
      } else if (!write(op, program, flight)) {
        count(nic_.books().lost_memory);
        return {Verdict::Kind::kLost};
      }
    }
    return verdict;
  }

  bool write(const Op& op, const Program& program, Flight& flight) const {
    if (op.kind == OpKind::kModify) {
      return modify_packet(program.extras->modifies[op.index], flight);
    }
    return edit_packet(op, nic_.profile().ttl_stops_at_zero, flight);
  }

  Verdict fate(const Op& op, const Program& program, Flight& flight) const {
    switch (op.kind) {
      case OpKind::kQueue:
        return {Verdict::Kind::kQueue, op.port};
      case OpKind::kRss:
        return {Verdict::Kind::kQueue, spread(program.extras->rss, flight)};
      case OpKind::kJump:
        return {Verdict::Kind::kJump, 0, static_cast<Group*>(op.target)};
      case OpKind::kPort:
        return {Verdict::Kind::kPort, op.port};
      case OpKind::kRepresentor:
        return {Verdict::Kind::kRepresentor, op.port};
      default:
        return {Verdict::Kind::kDrop};
    }
  }

  /// Any hash will do, as long as a flow stays on one queue.
  static std::uint16_t spread(const RssSpec& rss, Flight& flight) {
    flight.refresh();
    std::uint64_t hash = flight.fields.get<std::uint32_t>(slot::kL4);
    if ((flight.layers.presence & (kTcp | kUdp | kSctp)) == 0) hash = 0;
    for (std::size_t i = slot::kL3 + 8; i < slot::kL3 + 40; i += 8) {
      const bool is_ipv4 = (flight.layers.presence & kIpv4) != 0;
      if (is_ipv4 && i != slot::kL3 + 8) continue;
      const auto word = is_ipv4 ? flight.fields.get<std::uint64_t>(slot::kL3 + 12)
                                : flight.fields.get<std::uint64_t>(i);
      hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
      hash ^= hash >> 32;
    }
    return rss.queues[hash % rss.queues.size()];
  }

  /// Operations that touch the NIC's memory of the packet. False: the packet ends here.
  bool note(const Op& op, const Program& program, Flight& flight) {
    switch (op.kind) {
      case OpKind::kSharedCount:
        static_cast<Indirect*>(op.target)->hits.add(rte_pktmbuf_pkt_len(flight.mbuf));
        return true;
      case OpKind::kSharedAge:
        static_cast<Indirect*>(op.target)->last_hit_ms.store(now_ms_, std::memory_order_relaxed);
        return true;
      case OpKind::kMark:
        flight.is_marked = true;
        flight.is_flagged = false;
        flight.fields.set(slot::kMark, op.number);
        return true;
      case OpKind::kFlag:
        flight.is_flagged = true;
        return true;
      case OpKind::kSetMeta:
        flight.has_meta = true;
        write_register(op, slot::kMeta, flight);
        return true;
      case OpKind::kSetTag:
        write_register(op, slot::kTag + op.index * 4u, flight);
        return true;
      case OpKind::kMeter:
        return meter(op, flight);
      case OpKind::kSample:
        sample(op, program, flight);
        return true;
      default:
        return true;
    }
  }

  bool meter(const Op& op, const Flight& flight) {
    const std::uint32_t size = rte_pktmbuf_pkt_len(flight.mbuf);
    if (static_cast<Meter*>(op.target)->passes(size, now_ns_)) return true;
    count(nic_.books().metered_out);
    return false;
  }

  static void write_register(const Op& op, std::size_t to, Flight& flight) {
    const auto old = flight.fields.get<std::uint32_t>(to);
    flight.fields.set(to, (old & ~op.mask) | (op.number & op.mask));
  }

  void sample(const Op& op, const Program& program, const Flight& flight) {
    if (op.number > 1 && ++sample_turn_ % op.number != 0) return;
    rte_mbuf* copy = rte_pktmbuf_copy(flight.mbuf, flight.mbuf->pool, 0, UINT32_MAX);
    if (copy == nullptr) return count(nic_.books().lost_memory);
    count(nic_.books().sampled);
    Flight twin = flight;
    twin.mbuf = copy;
    const Verdict verdict = execute(*program.extras->sample, twin);
    rte_mbuf* own = deliver(verdict, twin, false);
    if (own != nullptr) post(queue_.port, queue_.queue, own);
  }

  /// The mbuf if it is for the application on this very queue.
  rte_mbuf* deliver(const Verdict& verdict, Flight& flight, bool was_stripped) {
    rte_mbuf* mbuf = flight.mbuf;
    switch (verdict.kind) {
      case Verdict::Kind::kDrop:
        count(nic_.books().dropped);
        [[fallthrough]];
      case Verdict::Kind::kLost:
      case Verdict::Kind::kJump:
        rte_pktmbuf_free(mbuf);
        return nullptr;
      case Verdict::Kind::kPort:
        outbox_.put(verdict.number, mbuf);
        return nullptr;
      default:
        break;
    }
    if (was_stripped) rte_vlan_strip(mbuf);
    show_marks(flight);
    if (verdict.kind == Verdict::Kind::kQueue && verdict.number != queue_.queue) {
      post(queue_.port, verdict.number, mbuf);
      return nullptr;
    }
    if (verdict.kind == Verdict::Kind::kRepresentor && verdict.number != queue_.port) {
      const std::size_t queues = nic_.port(verdict.number).rx.size();
      post(verdict.number,
           queues == 0 ? queue_.queue : static_cast<std::uint16_t>(queue_.queue % queues), mbuf);
      return nullptr;
    }
    return mbuf;
  }

  void post(std::uint16_t port, std::uint16_t queue, rte_mbuf* mbuf) {
    const auto& queues = nic_.port(port).rx;
    if (nic_.port(port).is_started && queue < queues.size()) {
      mbuf->port = port;
      if (queues[queue]->mailbox.push(mbuf)) return;
    }
    count(nic_.books().lost_mailbox);
    rte_pktmbuf_free(mbuf);
  }

  void show_marks(const Flight& flight) {
    rte_mbuf* mbuf = flight.mbuf;
    if (flight.is_marked) {
      mbuf->ol_flags |= RTE_MBUF_F_RX_FDIR | RTE_MBUF_F_RX_FDIR_ID;
      mbuf->hash.fdir.hi = flight.fields.get<std::uint32_t>(slot::kMark);
    } else if (flight.is_flagged) {
      mbuf->ol_flags |= RTE_MBUF_F_RX_FDIR;
    }
    if (flight.is_marked || flight.is_flagged) count(nic_.books().marked);
    if (flight.has_meta && rte_flow_dynf_metadata_avail()) {
      mbuf->ol_flags |= RTE_MBUF_DYNFLAG_RX_METADATA;
      rte_flow_dynf_metadata_set(mbuf, flight.fields.get<std::uint32_t>(slot::kMeta));
    }
  }

  /// The NIC sees the frame as it is on the wire. True: a tag that the driver had stripped is back.
  static bool insert_stripped_vlan(Flight& flight) {
    if ((flight.mbuf->ol_flags & RTE_MBUF_F_RX_VLAN_STRIPPED) == 0) return false;
    if (rte_vlan_insert(&flight.mbuf) != 0) return false;
    flight.mbuf->ol_flags &= ~(RTE_MBUF_F_RX_VLAN | RTE_MBUF_F_RX_VLAN_STRIPPED);
    return true;
  }

  Nic& nic_;
  RxQueue& queue_;
  const std::uint64_t now_ns_;
  const std::uint64_t now_ms_;
  Outbox outbox_;
  std::uint32_t sample_turn_ = 0;
};

}  // namespace

std::uint16_t Nic::receive(RxQueue& queue, rte_mbuf** mbufs, std::uint16_t count_all,
                           std::uint16_t max) {
  std::uint16_t kept = 0;
  if (count_all != 0) {
    const std::lock_guard guard(queue.lock);
    Port& port = ports_[queue.port];
    count(books_.received, count_all);
    if (port.is_link_down.load(std::memory_order_relaxed)) {
      count(books_.lost_link, count_all);
      rte_pktmbuf_free_bulk(mbufs, count_all);
    } else {
      Burst burst(*this, queue, now_ns());
      for (std::uint16_t i = 0; i < count_all; ++i) {
        rte_mbuf* mbuf = burst.carry(mbufs[i]);
        if (mbuf != nullptr) mbufs[kept++] = mbuf;
      }
    }
  }
  kept = static_cast<std::uint16_t>(
      kept + queue.mailbox.pop(mbufs + kept, static_cast<std::uint16_t>(max - kept)));
  if (kept != 0) count(books_.to_software, kept);
  return kept;
}

}  // namespace emulated_nic
