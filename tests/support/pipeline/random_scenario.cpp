// SPDX-License-Identifier: BSD-3-Clause
#include "support/pipeline/random_scenario.hpp"

#include <algorithm>

#include "hoist/datapath.hpp"
#include "support/pipeline/random_instructions.hpp"
#include "support/pipeline/random_match.hpp"
#include "support/pipeline/random_meters.hpp"
#include "support/reference/layers.hpp"

namespace hoist::test {
namespace {

bool one_in(Random& random, unsigned n) { return random() % n == 0; }

class Author {
 public:
  Author(std::uint64_t seed, const ScenarioSize& size)
      : random_(seed), size_(size), palette_(random_palette(random_)) {
    scenario_.seed = seed;
    scenario_.port_count = palette_.port_count;
    scenario_.learns = palette_.has_normal;
    scenario_.tracks = palette_.has_tracking;
    if (palette_.has_meters) scenario_.meters = random_meters(random_);
  }

  Scenario write() {
    add_rules(1 + random_() % size_.rules_max);
    for (int n = 0; n < 12; ++n) flows_.push_back({draw_packet(), ++last_flow_});
    for (unsigned n = 0; n < size_.bursts; ++n) {
      if (n > 0) change();
      if (n > 0) add_pause();
      if (one_in(random_, 12)) change_port();
      if (one_in(random_, 6)) add_packet_out();
      add_burst();
    }
    return std::move(scenario_);
  }

 private:
  struct Flow {
    Bytes frame;
    std::uint32_t number;
  };
  using Rule = std::shared_ptr<const RuleSpec>;

  Rule make(std::uint8_t table_id, std::uint16_t priority, const Match& match) {
    auto instructions = random_instructions(random_, palette_, match, table_id);
    return std::make_shared<RuleSpec>(
        RuleSpec{.id = RuleId{++last_id_},
                 .table_id = table_id,
                 .priority = priority,
                 .cookie = random_() % 16,
                 .match = MiniMatch(match),
                 .instructions = std::make_shared<const Instructions>(std::move(instructions))});
  }

  /// Nothing if the table has an overlapping rule of that priority.
  Rule try_make() {
    const auto table_id = static_cast<std::uint8_t>(random_() % palette_.table_count);
    const bool is_default = one_in(random_, 8);
    Match match = is_default ? Match{} : random_match(random_, palette_.port_count);
    if (palette_.has_tracking && !is_default && one_in(random_, 2)) add_tracked(match, random_);
    const auto priority = static_cast<std::uint16_t>(is_default ? 0 : random_() % 12);
    Rule rule = make(table_id, priority, match);
    const bool is_unclear = std::ranges::any_of(live_, [&](const Rule& other) {
      return other->table_id == table_id && other->priority == priority &&
             overlaps(other->match, rule->match);
    });
    return is_unclear ? nullptr : rule;
  }

  void add(Changes& changes) {
    Rule rule = try_make();
    if (!rule) return;
    live_.push_back(rule);
    changes.push_back({RuleChange::Kind::kAdd, rule});
  }
  void add_rules(std::uint64_t count) {
    Changes changes;
    for (; count > 0; --count) add(changes);
    scenario_.steps.emplace_back(std::move(changes));
  }

  void remove(Changes& changes) {
    if (live_.empty()) return;
    const auto it = live_.begin() + static_cast<std::ptrdiff_t>(random_() % live_.size());
    changes.push_back({RuleChange::Kind::kRemove, *it});
    live_.erase(it);
  }
  void modify(Changes& changes) {
    if (live_.empty()) return;
    Rule& old = live_[random_() % live_.size()];
    Rule fresh = make(old->table_id, old->priority, old->match.expand());
    changes.push_back({RuleChange::Kind::kRemove, old});
    changes.push_back({RuleChange::Kind::kAdd, fresh});
    old = fresh;
  }
  void change() {
    Changes changes;
    for (auto n = random_() % 5; n > 0; --n) {
      switch (random_() % 4) {
        case 0:
          remove(changes);
          break;
        case 1:
          modify(changes);
          break;
        default:
          add(changes);
      }
    }
    // One bundle, or one by one.
    if (one_in(random_, 2)) return scenario_.steps.emplace_back(std::move(changes)), void();
    for (std::size_t i = 0; i < changes.size(); ++i) {
      Changes one{changes[i]};
      const bool is_modify = changes[i].kind == RuleChange::Kind::kRemove &&
                             i + 1 < changes.size() &&
                             changes[i + 1].kind == RuleChange::Kind::kAdd;
      if (is_modify) one.push_back(changes[++i]);
      scenario_.steps.emplace_back(std::move(one));
    }
  }

  void add_pause() {
    if (palette_.has_tracking && one_in(random_, 3)) {
      return scenario_.steps.emplace_back(Pause{31'000'000'000}), void();
    }
    constexpr std::uint64_t kLengths_ns[] = {1'000'000, 37'000'000, 500'000'000, 2'000'000'000};
    scenario_.steps.emplace_back(Pause{kLengths_ns[random_() % std::size(kLengths_ns)]});
  }
  void change_port() {
    constexpr std::uint32_t kFlags[] = {0, PortFlags::kNoRecv, PortFlags::kNoFwd,
                                        PortFlags::kNoFlood, PortFlags::kNoPacketIn};
    scenario_.steps.emplace_back(PortChange{random_port(), kFlags[random_() % std::size(kFlags)]});
  }
  void add_packet_out() {
    Bytes frame = draw_packet();
    if (frame.size() < 14) frame.resize(60);  // A controller has nothing shorter to send.
    constexpr PortNo kFrom[] = {PortNo::kController, PortNo::kLocal, PortNo{1}, PortNo{2}};
    scenario_.steps.emplace_back(PacketOut{.in_port = kFrom[random_() % std::size(kFrom)],
                                           .frame = std::move(frame),
                                           .actions = random_packet_out(random_, palette_)});
  }
  /// Of scenarios that track neither TCP nor fragments, but a good deal that comes in pairs.
  Bytes draw_packet() {
    if (!palette_.has_tracking) return random_packet(random_);
    if (one_in(random_, 2)) return talk();
    for (;;) {
      Bytes frame = random_packet(random_);
      const reference::Layers layers = reference::find_layers(frame);
      if (layers.ip_proto != 6 && layers.ip_frag == 0) return frame;
    }
  }
  Bytes talk() {
    const bool is_back = one_in(random_, 3);
    const Be32 a = ip4("10.0.0.1");
    const Be32 b = one_in(random_, 3) ? ip4("30.0.0.1") : ip4("10.0.0.2");
    const auto port = static_cast<std::uint16_t>(1000 + random_() % 2);
    Packet packet;
    packet.eth().ipv4({.src = is_back ? b : a, .dst = is_back ? a : b});
    if (one_in(random_, 4)) {
      const std::uint8_t type = is_back ? 0 : 8;
      return packet.icmp({.type = type, .rest = std::uint32_t{port} << 16 | 1}).payload(9).bytes();
    }
    const std::uint16_t other = 53;
    return packet.udp({.src = is_back ? other : port, .dst = is_back ? port : other})
        .payload(9)
        .bytes();
  }
  PortNo random_port() {
    return PortNo{static_cast<std::uint32_t>(1 + random_() % palette_.port_count)};
  }

  void add_burst() {
    Burst burst;
    for (auto n = 1 + random_() % size_.burst_packets_max; n > 0; --n) {
      const PortNo in_port = random_port();
      const bool is_known = !one_in(random_, 3);
      Flow& flow = flows_[random_() % flows_.size()];
      if (!is_known) flow = {draw_packet(), ++last_flow_};
      const auto number = flow.number * 16 + to_integer(in_port);
      burst.push_back({in_port, numbered(flow.frame), number});
    }
    scenario_.steps.emplace_back(std::move(burst));
  }

  /// Padding with a number in it, so that order can be seen; not always, so that frames stay cut.
  Bytes numbered(Bytes frame) {
    if (one_in(random_, 3)) return frame;
    ++number_;
    frame.push_back(static_cast<std::uint8_t>(number_ >> 8));
    frame.push_back(static_cast<std::uint8_t>(number_));
    return frame;
  }

  Random random_;
  ScenarioSize size_;
  Palette palette_;
  Scenario scenario_;
  std::vector<Rule> live_;
  std::vector<Flow> flows_;
  std::uint32_t last_flow_ = 0;
  std::uint32_t last_id_ = 0;
  std::uint32_t number_ = 0;
};

}  // namespace

Scenario random_scenario(std::uint64_t seed, const ScenarioSize& size) {
  return Author(seed, size).write();
}

}  // namespace hoist::test
