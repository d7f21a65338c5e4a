// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "hoist/instructions.hpp"

namespace hoist::reference {

/// The actions that wait for the end of the pipeline (OpenFlow 1.3, 5.10): at most one of each
/// kind, for set-field one of each field.
class ActionSet {
 public:
  void clear() { actions_.clear(); }
  /// Adds an action; one of its kind that is there is replaced.
  void write(const Action& action);
  /// In the order in which they are carried out, whatever the order of writing.
  [[nodiscard]] std::vector<Action> in_order() const;

 private:
  std::vector<Action> actions_;
};

}  // namespace hoist::reference
