// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "classifier_support.hpp"

namespace hoist::software {
namespace {

using Version = Classifier::Version;

/// In each version v there is, of every pair of groups of rules, exactly the group v % 2, and a
/// floor of rules that stay for ever. A reader that finds anything else has seen a torn change.
class Torn {
 public:
  static constexpr std::uint32_t kKeys = 48;
  static constexpr std::uint16_t kFloor = 1;

  void write(int rounds) {
    std::vector<Entry*> current;
    for (std::uint32_t i = 0; i < kKeys; ++i) add(i, kFloor, 1, floor_mask(i));
    for (std::uint32_t i = 0; i < kKeys; ++i) current.push_back(add(i, 2, 1, changing_mask(i)));
    version_.store(1, std::memory_order_release);
    for (int round = 0; round < rounds; ++round) {
      const Version next = version_.load(std::memory_order_relaxed) + 1;
      for (std::uint32_t i = 0; i < kKeys; ++i) {
        classifier_->remove(current[i], next);
        const auto priority = static_cast<std::uint16_t>(2 + next % 7);
        current[i] = add(i, priority, next, changing_mask(i + next % 5));
      }
      make_noise(next);
      version_.store(next, std::memory_order_release);
      tokens_.push_back({reclaimer_.token(), next});
      while (!tokens_.empty() && reclaimer_.passed(tokens_.front().token)) {
        classifier_->settle(tokens_.front().version);
        tokens_.erase(tokens_.begin());
      }
      reclaimer_.poll();
    }
    is_done_.store(true, std::memory_order_release);
  }

  void read(unsigned id) {
    rte_rcu_qsbr_thread_register(reclaimer_.qsbr(), id);
    rte_rcu_qsbr_thread_online(reclaimer_.qsbr(), id);
    std::vector<FlowKey> keys(kKeys);
    std::vector<const FlowKey*> pointers;
    for (std::uint32_t i = 0; i < kKeys; ++i) {
      keys[i] = testing::key_of(testing::ip().nw_dst(0x0a000000 + i).nw_src(i));
      pointers.push_back(&keys[i]);
    }
    std::vector<const Entry*> found(kKeys);
    while (!is_done_.load(std::memory_order_acquire)) {
      const Version version = version_.load(std::memory_order_acquire);
      if (version != 0) {
        classifier_->lookup(pointers, version, found.data());
        for (std::uint32_t i = 0; i < kKeys; ++i) check(i, version, found[i]);
      }
      rte_rcu_qsbr_quiescent(reclaimer_.qsbr(), id);
    }
    rte_rcu_qsbr_thread_offline(reclaimer_.qsbr(), id);
    rte_rcu_qsbr_thread_unregister(reclaimer_.qsbr(), id);
  }

  [[nodiscard]] std::uint64_t bad() const { return bad_.load(); }

 private:
  struct Token {
    std::uint64_t token;
    Version version;
  };

  Entry* add(std::uint32_t i, std::uint16_t priority, Version from, std::uint32_t mask) {
    const auto rule = testing::ip().nw_dst(0x0a000000 + i, ~0u).nw_src(i, mask);
    return classifier_->insert(rule.match(), priority, RuleId{i + 1}, nullptr, from);
  }
  /// Rules of the lowest priority come and go by the hundred, so that the structure never rests.
  void make_noise(Version next) {
    for (std::size_t i = 0; i < 20; ++i) {
      if (next / 80 % 2 == 0) {
        noise_.push_back(classifier_->insert(random_.match(), 0, RuleId{9999}, nullptr, next));
      } else if (!noise_.empty()) {
        std::swap(noise_.back(), noise_[random_.below(noise_.size())]);
        classifier_->remove(noise_.back(), next);
        noise_.pop_back();
      }
    }
  }

  static std::uint32_t floor_mask(std::uint32_t i) { return 0xff >> i % 3; }
  static std::uint32_t changing_mask(std::uint32_t i) { return 0xff0000ffu << i % 17; }

  void check(std::uint32_t i, Version version, const Entry* found) {
    const auto expected = static_cast<std::uint16_t>(version == 1 ? 2 : 2 + version % 7);
    const bool is_right =
        found != nullptr && found->rule == RuleId{i + 1} && found->priority == expected;
    if (!is_right) bad_.fetch_add(1);
  }

  Reclaimer reclaimer_{4};
  std::unique_ptr<Classifier> classifier_ = Classifier::create(reclaimer_);
  testing::RandomMatches random_{1};
  std::vector<Entry*> noise_;
  std::vector<Token> tokens_;
  std::atomic<Version> version_{0};
  std::atomic<bool> is_done_{false};
  std::atomic<std::uint64_t> bad_{0};
};

TEST(ClassifierConcurrentTest, ReadersNeverSeePartOfAChange) {
  Torn torn;
  std::thread one([&] { torn.read(0); });
  std::thread two([&] { torn.read(1); });
  torn.write(300);
  one.join();
  two.join();
  EXPECT_EQ(torn.bad(), 0u);
}

}  // namespace
}  // namespace hoist::software
