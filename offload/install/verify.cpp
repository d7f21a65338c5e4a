// SPDX-License-Identifier: BSD-3-Clause
// Whether the NIC still has what should stand in it.
#include <algorithm>

#include "install/bridge_domain.hpp"
#include "install/engine.hpp"

namespace hoist::offload {
namespace {

/// Different words of the NIC that a report quotes, at most.
constexpr std::size_t kReasonsMax = 5;

class Check {
 public:
  Check(const FlowPort& port, DriftReport& report) : port_(port), report_(report) {}

  /// Whether the rule is still there, as far as can be told.
  bool look(const FlowHandle& handle) {
    if (handle.flow == nullptr) return true;
    ++report_.checked_count;
    const auto unknown = port_.is_unknown(handle);
    if (unknown) {
      report_.unknown_count += *unknown ? 1u : 0u;
      return true;
    }
    ++report_.lost_count;
    const std::string& reason = unknown.error().why.reason.text();
    if (report_.reasons.size() < kReasonsMax &&
        std::ranges::find(report_.reasons, reason) == report_.reasons.end()) {
      report_.reasons.push_back(reason);
    }
    return false;
  }

 private:
  const FlowPort& port_;
  DriftReport& report_;
};

}  // namespace

DriftReport BridgeDomain::verify(bool repairs) {
  DriftReport out{.bridge = bridge_, .domain = ports_.label};
  if (!is_there()) return out;
  Check check(port_, out);
  steering_.visit([&](const FlowHandle& handle) { check.look(handle); });
  for (const FlowHandle& handle : tables_) check.look(handle);
  for (const auto& [rule, standing] : standing_) {
    bool is_whole = true;
    for (const FlowHandle& handle : standing.handles) is_whole &= check.look(handle);
    if (!is_whole) out.lost.push_back(rule);
  }
  std::ranges::sort(out.lost);
  if (repairs && out.lost_count != 0) {
    refill();
    out.is_repaired = true;
  }
  return out;
}

std::vector<DriftReport> Engine::verify(bool repairs) {
  std::vector<DriftReport> out;
  for (auto& [id, bridge] : bridges_) {
    for (const auto& domain : bridge.domains) out.push_back(domain->verify(repairs));
  }
  return out;
}

}  // namespace hoist::offload
