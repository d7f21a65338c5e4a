// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include "plane.hpp"
#include "support/reference/interpreter.hpp"

namespace hoist::test {

/// The reference interpreter, which besides tells of each packet what became of it.
class ReferencePlane : public Plane {
 public:
  void start(const Scenario& scenario) override;
  void apply(const Changes& changes) override;
  BurstResult run(const Burst& burst) override;
  void change_port(const PortChange& change) override;
  void pass(const Pause& pause) override { bridge_->advance(pause.ns); }
  BurstResult send(const PacketOut& packet) override;
  Counts counts() override;

  /// Of the last burst, one a packet; of the last packet-out, one.
  [[nodiscard]] const std::vector<reference::Fate>& fates() const { return fates_; }

 private:
  BurstResult sum() const;

  std::optional<reference::Interpreter> bridge_;
  std::vector<reference::Fate> fates_;
};

}  // namespace hoist::test
