// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "openflow/codec.hpp"

namespace hoist::test {

/// A message that ovs-ofctl 3.1 sent, and the command line's end that made it send it.
struct Recorded {
  openflow::Dialect dialect;
  openflow::Bytes bytes;
  std::string text;
};
inline void PrintTo(const Recorded& r, std::ostream* out) {
  *out << static_cast<int>(r.dialect.version) << ' ' << r.text;
}
/// Reads tests/ctl/data/`file`: lines "dialect hex text", the dialect being of10, of10t (with
/// NXT_FLOW_MOD_TABLE_ID on), of13 or of14.
[[nodiscard]] std::vector<Recorded> recorded_messages(const std::string& file);

/// A copy in a heap buffer of just its size, so that a sanitizer sees the first byte read too far.
class ExactCopy {
 public:
  explicit ExactCopy(std::span<const std::uint8_t> bytes)
      : size_(bytes.size()), data_(std::make_unique<std::uint8_t[]>(size_)) {
    std::copy(bytes.begin(), bytes.end(), data_.get());
  }
  [[nodiscard]] std::span<const std::uint8_t> span() const { return {data_.get(), size_}; }

 private:
  std::size_t size_;
  std::unique_ptr<std::uint8_t[]> data_;
};

/// decode() of an exact copy.
[[nodiscard]] tl::expected<openflow::Request, openflow::WireError> decode_exactly(
    std::span<const std::uint8_t> message, openflow::Dialect dialect);

/// The flow mod as a message: of OpenFlow 1.0, as NXT_FLOW_MOD with its table.
[[nodiscard]] openflow::Bytes flow_mod_message(const openflow::FlowMod& mod,
                                               openflow::Version version);

}  // namespace hoist::test
