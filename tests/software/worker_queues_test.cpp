// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <thread>

#include "hoist/datapath.hpp"
#include "hoist/eal.hpp"
#include "hoist/workers.hpp"
#include "support/ring_port.hpp"

namespace hoist::test {
namespace {

/// A switch with two worker threads and a wire on each side: in_port=1,actions=output:2.
class WorkerQueuesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (std::thread::hardware_concurrency() < 2) GTEST_SKIP() << "needs two cores";
    static const auto eal =
        start_eal({.args = {"--no-huge", "--in-memory", "--no-pci", "-m", "256", "--no-telemetry"},
                   .worker_cores = {0, 1},
                   .control_cores = {0, 1}});
    ASSERT_TRUE(eal) << eal.error().message;
    frames_ = std::make_unique<FramePool>("queues_frames");
    for (int i = 0; i < 2; ++i) {
      wires_[i] = std::make_unique<RingPort>(i == 0 ? "queues0" : "queues1", frames_->pool());
    }
    auto created = Datapath::create({.worker_lcores = (*eal)->worker_lcores(),
                                     .flow_cache_entries = 256,
                                     .mbuf_count = 4096,
                                     .max_rules = 1000});
    ASSERT_TRUE(created) << created.error().message;
    datapath_ = std::move(*created);
    bridge_ = *datapath_->add_bridge("br0");
    for (std::uint32_t n = 1; n <= 2; ++n) {
      const auto added = datapath_->add_port(
          bridge_,
          {.name = n == 1 ? "p1" : "p2", .number = PortNo{n}, .devargs = wires_[n - 1]->devargs()});
      ASSERT_TRUE(added) << added.error().message;
    }
    forward();
    workers_ = workers_of(*datapath_);
    ASSERT_NE(workers_, nullptr);
    datapath_->start();
  }
  void TearDown() override {
    if (!datapath_) return;
    datapath_->stop();
    datapath_.reset();
    for (auto& wire : wires_) wire.reset();
  }

  void forward() {
    auto rule = std::make_shared<RuleSpec>();
    rule->id = RuleId{1};
    rule->table_id = 0;
    rule->priority = 1;
    Match match{};
    match.value.in_port = Be32{1};
    match.mask.in_port = Be32{0xffffffff};
    rule->match = MiniMatch(match);
    rule->instructions = std::make_shared<const Instructions>(
        Instructions{.apply_actions = {OutputAction{PortNo{2}, 0}}});
    const RuleChange change{RuleChange::Kind::kAdd, rule};
    datapath_->apply(bridge_, std::span(&change, 1));
  }
  void poll() {
    datapath_->poll([](PacketIn&&) {}, [](BridgeId, const PortStatus&) {});
  }

  /// Sends numbered frames, but no more at a time than both wires hold.
  void send(std::uint32_t limit) {
    constexpr std::uint32_t kOnTheWay = 256;
    while (sent_ < std::min(limit, received_ + kOnTheWay)) {
      Bytes frame(64);
      std::memcpy(frame.data() + 32, &sent_, sizeof sent_);
      if (!wires_[0]->inject(frame)) return;
      ++sent_;
    }
  }
  /// Takes what has arrived; expects it in order.
  void receive() {
    for (const Bytes& frame : wires_[1]->drain()) {
      std::uint32_t number = 0;
      std::memcpy(&number, frame.data() + 32, sizeof number);
      ASSERT_EQ(number, received_);
      ++received_;
    }
  }
  [[nodiscard]] unsigned core_of_first_queue() const {
    for (const WorkerReport& worker : workers_->report(5)) {
      for (const QueueReport& queue : worker.queues) {
        if (queue.port == "p1") return worker.core;
      }
    }
    return ~0u;
  }

  std::unique_ptr<FramePool> frames_;
  std::unique_ptr<RingPort> wires_[2];
  std::unique_ptr<Datapath> datapath_;
  BridgeId bridge_{};
  Workers* workers_ = nullptr;
  std::uint32_t sent_ = 0;
  std::uint32_t received_ = 0;
};

TEST_F(WorkerQueuesTest, QueueMovesUnderTrafficWithoutLossOrReordering) {
  constexpr std::uint32_t kFrames = 20'000;
  for (unsigned turn = 0; received_ < kFrames; ++turn) {
    send(kFrames);
    receive();
    if (HasFatalFailure()) return;
    if (turn % 8 == 0) {
      const QueuePin pin{.queue = 0, .core = turn / 8 % 2};
      ASSERT_TRUE(workers_->pin_queues(bridge_, PortNo{1}, {pin}));
      EXPECT_EQ(core_of_first_queue(), pin.core);
    }
    poll();
    std::this_thread::yield();
  }
  std::uint64_t counted = 0;
  datapath_->stop();
  for (const WorkerReport& worker : workers_->report(5)) counted += worker.counts.received;
  EXPECT_LE(counted, kFrames);
  EXPECT_GE(counted, kFrames - 64);  // A turn is counted when the next one begins.
}

TEST_F(WorkerQueuesTest, PinToAQueueOrCoreThatIsNotThereIsRefused) {
  EXPECT_FALSE(workers_->pin_queues(bridge_, PortNo{1}, {{.queue = 5, .core = 0}}));
  EXPECT_FALSE(workers_->pin_queues(bridge_, PortNo{1}, {{.queue = 0, .core = 77}}));
  EXPECT_FALSE(workers_->pin_queues(bridge_, PortNo{9}, {}));
}

TEST_F(WorkerQueuesTest, ClearedCountsStartAtZero) {
  for (unsigned turn = 0; received_ < 1000; ++turn) {
    send(1000);
    receive();
    std::this_thread::yield();
  }
  datapath_->stop();
  workers_->clear(std::nullopt);
  for (const WorkerReport& worker : workers_->report(60)) {
    EXPECT_EQ(worker.counts.received, 0u);
    EXPECT_EQ(worker.counts.busy_cycles, 0u);
  }
}

}  // namespace
}  // namespace hoist::test
