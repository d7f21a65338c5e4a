// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "support/reference/layers.hpp"

namespace hoist::reference {

/// IPv6 header and extension headers (RFC 8200). Says whether a transport header may follow at
/// transport_at.
[[nodiscard]] bool find_ipv6(View frame, Layers& layers);

/// Target and link-layer options of a neighbour solicitation or advertisement (RFC 4861), whose
/// ICMPv6 header is whole.
void find_neighbour(View frame, Layers& layers);

}  // namespace hoist::reference
