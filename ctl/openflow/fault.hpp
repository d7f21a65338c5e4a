// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

#include "openflow/message.hpp"

namespace hoist::openflow {

/// What is wrong with a message: the error's name, and words for the log.
struct Fault {
  ErrorName name;
  std::string detail;
};

/// A value, or why a message is refused.
template <class T>
using Decoded = tl::expected<T, Fault>;

[[nodiscard]] inline tl::unexpected<Fault> fault(ErrorName name, std::string detail) {
  return tl::unexpected<Fault>(Fault{name, std::move(detail)});
}

/// The numbers that `name` has in `version` (OpenFlow 1.0, 5.4.4; 1.3, 7.4.4; 1.4, 7.5.4). Where a
/// version lacks the error, the Nicira vendor error that Open vSwitch sends (experimenter set),
/// else the nearest one that the version has.
[[nodiscard]] WireError to_wire(ErrorName name, Version version, std::string detail = {});
[[nodiscard]] inline WireError to_wire(Fault fault, Version version) {
  return to_wire(fault.name, version, std::move(fault.detail));
}

}  // namespace hoist::openflow
