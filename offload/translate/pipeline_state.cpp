// SPDX-License-Identifier: BSD-3-Clause
// Metadata, registers, tunnel and connection state. No rule that writes them is in hardware, so
// they are zero for every packet there: a match on zero holds, any other never does.
#include "translate/match_builder.hpp"

namespace hoist::offload {

void express_pipeline_state(MatchBuilder& builder) {
  const KeyWord* value = words(builder.left.value);
  KeyWord* mask = words(builder.left.mask);
  for (std::size_t i = kPacketWords; i < kFlowKeyWords; ++i) {
    if ((value[i] & mask[i]) != 0) builder.is_never = true;
    mask[i] = 0;
  }
}

}  // namespace hoist::offload
