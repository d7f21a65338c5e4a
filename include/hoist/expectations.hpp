// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <optional>

#include "hoist/connections.hpp"

namespace hoist {

/// A connection that a helper has read about in the payload of another, its parent.
struct ExpectationReport {
  ConnectionTuple tuple;   ///< Of its first packet; src_port is 0: any.
  ConnectionTuple parent;  ///< The parent's opening direction.
  std::uint16_t zone = 0;
  std::uint32_t mark = 0;                ///< What it will get, as label.
  std::array<std::uint8_t, 16> label{};  ///< In network order.
};

/// What the helpers of ct(alg=...) wait for. Control thread. At most 16,384 are there at a time.
class Expectations {
 public:
  virtual ~Expectations() = default;

  /// Visits those of the zone, or of all.
  virtual void walk(std::optional<std::uint16_t> zone,
                    const std::function<void(const ExpectationReport&)>& visit) = 0;
};

/// A datapath that has helpers.
class TracksExpectations {
 public:
  virtual ~TracksExpectations() = default;
  [[nodiscard]] virtual Expectations& expectations() = 0;
};

/// Null: the datapath has none (a stand-in in a test).
[[nodiscard]] inline Expectations* expectations_of(Datapath& datapath) {
  auto* tracks = dynamic_cast<TracksExpectations*>(&datapath);
  return tracks == nullptr ? nullptr : &tracks->expectations();
}

}  // namespace hoist
