// SPDX-License-Identifier: BSD-3-Clause
// Any bytes as a frame that says to be a fragment; and as a script of fragments that come, overlap
// and wait: the table must hold, refuse, give back and free what a plain model of the packets does,
// and lose no buffer.
#include <rte_mbuf.h>

#include <cstdlib>
#include <map>
#include <memory>
#include <span>

#include "conntrack/fragment_table.hpp"
#include "conntrack/whole_packet.hpp"
#include "support/eal.hpp"
#include "support/test_mbuf.hpp"

namespace {

using namespace hoist;
using namespace hoist::software;
using Admission = FragmentTable::Admission;

constexpr unsigned kBuffers = 1023;
constexpr std::size_t kStepSize = 6;

void require(bool holds) {
  if (!holds) std::abort();
}

rte_mempool& pool() {
  static rte_mempool* const made = [] {
    test::start_eal();
    return rte_pktmbuf_pool_create("fuzz", kBuffers, 0, 0, RTE_MBUF_DEFAULT_BUF_SIZE,
                                   SOCKET_ID_ANY);
  }();
  require(made != nullptr);
  return *made;
}

/// kStepSize bytes of the script: one fragment.
struct Step {
  bool is_ipv6, is_last, has_extension;
  std::uint8_t id;
  std::uint16_t offset;  ///< In units of 8 bytes.
  std::uint16_t size;
  std::uint64_t after_ms;

  explicit Step(std::span<const std::uint8_t, kStepSize> from)
      : is_ipv6((from[0] & 1) != 0),
        is_last((from[0] & 2) == 0),
        has_extension((from[0] & 4) != 0),
        id(from[0] >> 3 & 3),
        offset(static_cast<std::uint16_t>((from[1] << 8 | from[2]) & 0x1fff)),
        size(static_cast<std::uint16_t>(1 + (from[3] << 8 | from[4]) % 1600)),
        after_ms((from[5] & 0xf0) == 0xf0 ? 5'000 : 0) {
    if (offset == 0) is_last = false;
  }
  [[nodiscard]] std::uint32_t begin() const { return offset * 8u; }
  [[nodiscard]] std::uint32_t end() const { return begin() + size; }

  /// `seed`: tells its payload from that of other fragments.
  [[nodiscard]] test::Bytes frame(std::size_t seed) const {
    test::Packet packet;
    packet.eth();
    if (is_ipv6) {
      packet.ipv6();
      if (has_extension) packet.extension({.type = 0, .next_header = std::uint8_t{44}});
      packet.fragment(
          {.offset = offset, .more = !is_last, .id = id, .next_header = std::uint8_t{17}});
    } else {
      packet.ipv4({.proto = std::uint8_t{17},
                   .id = id,
                   .fragment_offset = offset,
                   .more_fragments = !is_last});
    }
    return packet.payload(payload(seed)).bytes();
  }
  [[nodiscard]] test::Bytes payload(std::size_t seed) const {
    test::Bytes out(size);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<std::uint8_t>(seed * 31 + i);
    return out;
  }
};

/// A packet as far as it is there.
struct Model {
  std::map<std::uint32_t, test::Bytes> pieces;  ///< By offset.
  std::uint32_t end = 0;
  std::uint64_t expires_ms = 0;

  [[nodiscard]] bool takes(const Step& step) const {
    if (pieces.size() == FragmentTable::kPartsMost) return false;
    if (end != 0 && (step.is_last || step.end() > end)) return false;
    for (const auto& [at, bytes] : pieces) {
      const std::uint32_t piece_end = at + static_cast<std::uint32_t>(bytes.size());
      if (at < step.end() && step.begin() < piece_end) return false;
      if (step.is_last && piece_end > step.begin()) return false;
    }
    return true;
  }
  [[nodiscard]] test::Bytes payload() const {
    test::Bytes out;
    for (const auto& [at, bytes] : pieces) {
      if (at != out.size()) return {};
      out.insert(out.end(), bytes.begin(), bytes.end());
    }
    return out;
  }
  [[nodiscard]] bool is_whole() const { return end != 0 && payload().size() == end; }
};

/// One serves all inputs: to make the table takes longer than a script. Each leaves it empty.
class Script {
 public:
  void run(std::span<const std::uint8_t> bytes) {
    for (; bytes.size() >= kStepSize; bytes = bytes.subspan(kStepSize)) {
      take(Step(bytes.first<kStepSize>()));
    }
    pass(FragmentLedger::kTimeoutMs);
    count_ = 0;
  }

 private:
  void take(const Step& step) {
    pass(step.after_ms);
    rte_mbuf* m = mbuf_of(step.frame(++count_));
    FlowKey key;
    const Layers layers = parse(*m, PortNo{1}, key);
    const auto fragment = read_fragment(*m, layers);
    require(fragment.has_value() == (step.end() <= 65535 && layers.has(Layers::kFragment)));
    if (!fragment) return rte_pktmbuf_free(m);
    require(fragment->payload_offset == step.begin() && fragment->payload_size == step.size);
    require(fragment->is_last == step.is_last);
    Model& model = models_[fragment->key.family * 256u + step.id];
    const bool is_taken = model.takes(step) && held_ < kBuffers - 2;
    const Admission admission = held_ < kBuffers - 2
                                    ? table_.add(fragment->key, *fragment, m, now_ms_)
                                    : Admission::kRefused;
    require((admission != Admission::kRefused) == is_taken);
    if (!is_taken) return rte_pktmbuf_free(m);
    if (model.pieces.empty()) model.expires_ms = now_ms_ + FragmentLedger::kTimeoutMs;
    model.pieces[step.begin()] = step.payload(count_);
    if (step.is_last) model.end = step.end();
    ++held_;
    require((admission == Admission::kComplete) == model.is_whole());
    if (admission == Admission::kComplete) finish(fragment->key, model);
  }

  void finish(const FragmentKey& key, Model& model) {
    HeldFragment held[FragmentTable::kPartsMost];
    const std::span<HeldFragment> parts(held, table_.take(key, held));
    require(parts.size() == model.pieces.size());
    if (whole_.assemble(parts)) check_whole(parts, model.payload());
    for (const HeldFragment& part : parts) rte_pktmbuf_free(part.packet);
    held_ -= parts.size();
    model = {};
  }

  /// What is written into the whole must be found in its parts.
  void check_whole(std::span<HeldFragment> parts, const test::Bytes& payload) {
    rte_mbuf& packet = whole_.packet();
    auto* data = rte_pktmbuf_mtod(&packet, std::uint8_t*);
    std::uint8_t* at = data + packet.data_len - payload.size();
    require(std::equal(payload.begin(), payload.end(), at));
    for (std::size_t i = 0; i < payload.size(); ++i) at[i] ^= 0xff;
    for (const HeldFragment& part : parts) {
      whole_.write_back(part);
      const auto* now = rte_pktmbuf_mtod_offset(part.packet, const std::uint8_t*, part.headers_end);
      require(std::equal(now, now + part.payload_size, at + part.payload_offset));
      FlowKey key;
      require(read_fragment(*part.packet, parse(*part.packet, PortNo{1}, key)).has_value());
    }
  }

  void pass(std::uint64_t ms) {
    now_ms_ += ms;
    std::size_t lost = 0;
    for (auto& [id, model] : models_) {
      if (ms == 0 || model.pieces.empty() || model.expires_ms > now_ms_) continue;
      lost += model.pieces.size();
      model = {};
    }
    if (ms != 0) require(table_.expire(now_ms_) == lost);
    held_ -= lost;
  }

  static rte_mbuf* mbuf_of(const test::Bytes& frame) {
    rte_mbuf* m = rte_pktmbuf_alloc(&pool());
    require(m != nullptr);
    std::copy(frame.begin(), frame.end(),
              reinterpret_cast<std::uint8_t*>(
                  rte_pktmbuf_append(m, static_cast<std::uint16_t>(frame.size()))));
    return m;
  }

  struct Ledger : FragmentLedger {
    Ledger() {
      for (Family& family : families) family.size_least = 0;
      held_most = kHeldMost;
    }
  };
  Ledger ledger_;
  FragmentTable table_{ledger_};
  WholePacket whole_;
  std::map<std::uint32_t, Model> models_;
  std::size_t count_ = 0, held_ = 0;
  std::uint64_t now_ms_ = 1'000;
};

void read_as_frame(const test::Bytes& bytes) {
  if (bytes.size() < 14 || bytes.size() > 9000) return;
  test::TestMbuf packet(bytes);
  FlowKey key;
  const auto fragment = read_fragment(*packet, parse(*packet, PortNo{1}, key));
  if (!fragment) return;
  require(fragment->l3_offset < fragment->headers_end);
  require(std::size_t{fragment->headers_end} + fragment->payload_size <= bytes.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  read_as_frame(test::Bytes(data, data + size));
  // Of other sizes only as a frame: most inputs are captured ones, and scripts take their time.
  static Script script;
  if (size % kStepSize == 0) script.run({data, std::min(size, kStepSize * 400)});
  require(rte_mempool_avail_count(&pool()) == kBuffers);
  return 0;
}
