// SPDX-License-Identifier: BSD-3-Clause
// Any bytes as a frame: parser, window test and edits.
#include <cstdint>
#include <cstdlib>

#include "packet/edit.hpp"
#include "packet/parse.hpp"
#include "packet/window.hpp"
#include "support/test_mbuf.hpp"

namespace {

using namespace hoist;
using namespace hoist::software;

void require(bool holds) {
  if (!holds) std::abort();
}

void check_parse(const std::uint8_t* data, std::size_t size) {
  FlowKey key{};
  const Layers layers = parse(data, size, PortNo{1}, key);
  require(layers.l2_end <= size);
  require(layers.l4_offset == Layers::kNone || layers.l4_offset + layers.l4_size <= size);
  require(key.eth_type.host() == layers.eth_type && key.ip_proto == layers.ip_proto);
  if (const auto regular = classify_window(data, size)) {
    require(packet_class(key) == *regular && !layers.is_malformed());
  }
}

bool edit(rte_mbuf& packet, Layers& layers, std::uint8_t choice, std::uint8_t operand) {
  switch (choice % 8) {
    case 0:
      return push_vlan(packet, layers, operand % 2 == 0 ? 0x8100 : 0x88a8);
    case 1:
      return pop_vlan(packet, layers);
    case 2:
      return push_mpls(packet, layers, operand % 2 == 0 ? 0x8847 : 0x8848);
    case 3:
      return pop_mpls(packet, layers, operand % 2 == 0 ? 0x0800 : 0x86dd);
    case 4:
      return dec_nw_ttl(packet, layers) != TtlOutcome::kAbsent;
    case 5:
      return copy_ttl_in(packet, layers);
    default: {
      const Field& f = kFields[operand % kFields.size()];
      return set_field(packet, layers, f, field_value(choice), full_mask(f));
    }
  }
}

// The last bytes choose what is done.
void check_edits(const std::uint8_t* data, std::size_t size) {
  test::TestMbuf packet(test::Bytes(data, data + size));
  FlowKey key{};
  Layers layers = parse(*packet, PortNo{1}, key);
  for (std::size_t i = 0; i < 6 && 2 * i + 2 <= size; ++i) {
    (void)edit(*packet, layers, data[size - 2 * i - 1], data[size - 2 * i - 2]);
    require(parse(*packet, PortNo{1}, key) == layers);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  check_parse(data, size);
  if (size < 60000) check_edits(data, size);
  return 0;
}
