// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>

#include "hoist/flow_manager.hpp"

namespace hoist::offload {

/// A text for people. Many rules have the same one: copies share it.
class Reason {
 public:
  Reason() = default;
  Reason(std::string text) {  // NOLINT(google-explicit-constructor): is a text
    if (!text.empty()) text_ = std::make_shared<const std::string>(std::move(text));
  }
  Reason(const char* text) : Reason(std::string(text)) {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] const std::string& text() const noexcept {
    static const std::string kEmpty;
    return text_ == nullptr ? kEmpty : *text_;
  }
  bool operator==(std::string_view other) const noexcept { return text() == other; }

 private:
  std::shared_ptr<const std::string> text_;
};
inline std::ostream& operator<<(std::ostream& out, const Reason& reason) {
  return out << reason.text();
}

/// Why something has no hardware form.
struct Refused {
  Refusal refusal = Refusal::kNone;
  Reason reason;  ///< As `offload show` prints it.
};

}  // namespace hoist::offload
