// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace hoist::ctl {

/// Cuts a stream of JSON texts that follow each other without separators, as OVS's JSON-RPC sends
/// them. Only objects and arrays are texts here. Any thread.
class JsonStream {
 public:
  /// More than any request needs: a peer that sends more is no client of ours.
  static constexpr std::size_t kTextMax = 64u << 20;

  void feed(std::string_view bytes) { buffer_.append(bytes); }
  /// The next whole text, if there is one. It is cut, not checked: parse it.
  std::optional<std::string> next();
  /// The stream cannot go on: something that starts no object or array, or a text beyond kTextMax.
  [[nodiscard]] bool is_broken() const noexcept { return is_broken_; }

 private:
  std::string buffer_;
  std::size_t scanned_ = 0;  ///< Bytes of buffer_ that depth_ and in_string_ speak of.
  std::size_t depth_ = 0;
  bool in_string_ = false;
  bool is_escaped_ = false;
  bool is_broken_ = false;
};

}  // namespace hoist::ctl
