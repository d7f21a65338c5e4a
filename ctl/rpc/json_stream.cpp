// SPDX-License-Identifier: BSD-3-Clause
#include "rpc/json_stream.hpp"

#include <algorithm>
#include <utility>

namespace hoist::ctl {

std::optional<std::string> JsonStream::next() {
  if (depth_ == 0) {
    const std::size_t start = buffer_.find_first_not_of(" \t\r\n");
    buffer_.erase(0, std::min(start, buffer_.size()));
    if (!buffer_.empty() && buffer_[0] != '{' && buffer_[0] != '[') is_broken_ = true;
  }
  for (; scanned_ < buffer_.size() && !is_broken_; ++scanned_) {
    const char c = buffer_[scanned_];
    if (in_string_) {
      if (!std::exchange(is_escaped_, !is_escaped_ && c == '\\') && c == '"') in_string_ = false;
      continue;
    }
    if (c == '"') {
      in_string_ = true;
    } else if (c == '{' || c == '[') {
      ++depth_;
    } else if ((c == '}' || c == ']') && --depth_ == 0) {
      std::string text = buffer_.substr(0, scanned_ + 1);
      buffer_.erase(0, scanned_ + 1);
      scanned_ = 0;
      return text;
    }
  }
  if (buffer_.size() > kTextMax) is_broken_ = true;
  return std::nullopt;
}

}  // namespace hoist::ctl
