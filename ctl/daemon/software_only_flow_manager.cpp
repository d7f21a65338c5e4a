// SPDX-License-Identifier: BSD-3-Clause
// The flow manager of a build without offload/: every rule stays in software and says why.
#include <utility>
#include <vector>

#include "hoist/flow_manager.hpp"

namespace hoist {
namespace {

class SoftwareOnly : public FlowManager {
 public:
  Sequence attach_port(BridgeId /*bridge*/, const PortStatus& /*port*/) override { return 0; }
  Sequence detach_port(BridgeId /*bridge*/, PortNo /*number*/) override { return 0; }
  Sequence submit(BridgeId /*bridge*/, std::span<const RuleChange> /*changes*/) override {
    return 0;
  }
  Sequence refresh_counters() override { return 0; }
  Sequence set_enabled(bool /*is_enabled*/) override { return 0; }
  [[nodiscard]] bool is_enabled() const override { return false; }
  [[nodiscard]] bool is_settled(Sequence /*sequence*/) const override { return true; }
  void collect(const std::function<void(const RuleHit&)>& /*visit*/) override {}
  void describe(std::vector<RuleId> rules,
                std::function<void(std::vector<Placement>)> done) override {
    std::vector<Placement> placements;
    for (const RuleId rule : rules) {
      placements.push_back({.rule = rule,
                            .tier = Tier::kSoftware,
                            .refusal = Refusal::kDisabled,
                            .reason = "built without offload"});
    }
    answers_.push_back([placements = std::move(placements), done = std::move(done)]() mutable {
      done(std::move(placements));
    });
  }
  void poll() override {
    for (auto& answer : std::exchange(answers_, {})) answer();
  }
  void run_once() override {}

 private:
  std::vector<std::function<void()>> answers_;
};

}  // namespace

std::unique_ptr<FlowManager> FlowManager::create(const Config& /*config*/,
                                                 ResumeTable& /*resume_table*/,
                                                 std::function<std::uint64_t()> /*now_ms*/) {
  return std::make_unique<SoftwareOnly>();
}

}  // namespace hoist
