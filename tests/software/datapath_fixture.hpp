// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "hoist/datapath.hpp"
#include "hoist/field.hpp"
#include "support/eal.hpp"
#include "support/packet_builder.hpp"
#include "support/ring_port.hpp"

namespace hoist::test {

/// Builds a Match field by field.
class MatchBuilder {
 public:
  MatchBuilder& with(FieldId id, std::uint64_t value) {
    return with(id, value, low64(full_mask(field(id))));
  }
  MatchBuilder& with(FieldId id, std::uint64_t value, std::uint64_t mask) {
    set_field(match_.value, field(id), field_value(value & mask), field_value(mask));
    set_field(match_.mask, field(id), field_value(mask), field_value(mask));
    return *this;
  }
  MatchBuilder& ipv4() { return with(FieldId::kEthType, 0x0800); }
  MatchBuilder& udp() { return ipv4().with(FieldId::kIpProto, 17); }
  [[nodiscard]] const Match& match() const { return match_; }

 private:
  Match match_{};
};

inline Action output(std::uint32_t port) { return OutputAction{PortNo{port}, 0xffff}; }
inline Action output(PortNo port) { return OutputAction{port, 0xffff}; }
inline Action set(FieldId id, std::uint64_t value) {
  return SetFieldAction{.field = id, .value = field_value(value), .mask = full_mask(field(id))};
}
inline Instructions apply(ActionList actions) { return {.apply_actions = std::move(actions)}; }
inline Instructions go(std::uint8_t table_id) { return {.goto_table = table_id}; }

struct RuleAt {
  std::uint8_t table_id = 0;
  std::uint16_t priority = 10;
};

inline std::string numbered(std::string prefix, std::uint32_t n) {
  prefix.append(std::to_string(n));
  return prefix;
}

/// A bridge of ring ports 1 to 3, driven turn by turn. `clock_ns`: null for the real one.
class DatapathFixture : public ::testing::Test {
 protected:
  explicit DatapathFixture(std::uint32_t flow_cache_entries = 1024,
                           const std::atomic<std::uint64_t>* clock_ns = nullptr) {
    start_eal();
    static std::uint32_t number = 0;
    name_ = numbered("dp", ++number);
    pool_ = std::make_unique<FramePool>(name_);
    auto created = Datapath::create({.flow_cache_entries = flow_cache_entries,
                                     .mbuf_count = 4096,
                                     .max_rules = 4096,
                                     .clock_ns = clock_ns});
    EXPECT_TRUE(created) << created.error().message;
    datapath_ = std::move(*created);
    bridge_ = *datapath_->add_bridge("br0");
    for (std::uint32_t n = 1; n <= 3; ++n) {
      ports_.push_back(std::make_unique<RingPort>(numbered(name_ + "_", n), pool_->pool()));
      const auto added = datapath_->add_port(
          bridge_,
          {.name = numbered("p", n), .number = PortNo{n}, .devargs = ports_.back()->devargs()});
      EXPECT_TRUE(added) << added.error().message;
    }
  }
  ~DatapathFixture() override {
    datapath_.reset();
    EXPECT_EQ(pool_->in_use(), 0u);
  }

  RuleId add(const Match& match, Instructions instructions, RuleAt at = {}) {
    const RuleId id{++last_rule_};
    auto spec = std::make_shared<RuleSpec>();
    spec->id = id;
    spec->table_id = at.table_id;
    spec->priority = at.priority;
    spec->match = MiniMatch(match);
    spec->instructions = std::make_shared<const Instructions>(std::move(instructions));
    rules_[id] = spec;
    change({RuleChange::Kind::kAdd, spec});
    return id;
  }
  RuleId add(const MatchBuilder& match, Instructions instructions, RuleAt at = {}) {
    return add(match.match(), std::move(instructions), at);
  }
  void remove(RuleId id) { change({RuleChange::Kind::kRemove, rules_.at(id)}); }
  void change(const RuleChange& one) { datapath_->apply(bridge_, std::span(&one, 1)); }

  void inject(std::uint32_t port, const Bytes& frame) {
    EXPECT_TRUE(ports_[port - 1]->inject(frame));
  }
  void turn() {
    for (int i = 0; i < 2; ++i) {
      datapath_->run_once();
      datapath_->poll([this](PacketIn&& in) { packet_ins_.push_back(std::move(in)); },
                      [](BridgeId, const PortStatus&) {});
    }
  }
  /// Sends a frame in and takes what comes out of each port.
  std::map<std::uint32_t, std::vector<Bytes>> send(std::uint32_t port, const Bytes& frame) {
    inject(port, frame);
    return drain();
  }
  std::map<std::uint32_t, std::vector<Bytes>> drain() {
    turn();
    std::map<std::uint32_t, std::vector<Bytes>> out;
    for (std::uint32_t n = 1; n <= ports_.size(); ++n) {
      auto frames = ports_[n - 1]->drain();
      if (!frames.empty()) out[n] = std::move(frames);
    }
    return out;
  }
  std::map<RuleId, TrafficCount> collect() {
    std::map<RuleId, TrafficCount> out;
    datapath_->collect([&](const RuleHit& hit) { out[hit.rule] += hit.count; });
    return out;
  }
  [[nodiscard]] std::uint64_t drops(DropReason reason) const {
    return datapath_->drops()[static_cast<std::size_t>(reason)];
  }

  using Sent = std::map<std::uint32_t, std::vector<Bytes>>;
  std::string name_;
  std::unique_ptr<FramePool> pool_;
  std::vector<std::unique_ptr<RingPort>> ports_;
  std::unique_ptr<Datapath> datapath_;
  BridgeId bridge_{};
  std::map<RuleId, std::shared_ptr<const RuleSpec>> rules_;
  std::vector<PacketIn> packet_ins_;
  std::uint32_t last_rule_ = 0;
};

}  // namespace hoist::test
