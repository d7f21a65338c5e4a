// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <rte_mbuf.h>

#include <cstdint>

#include "fields.hpp"
#include "packet_view.hpp"
#include "program.hpp"

namespace emulated_nic {

/// One packet on its way through the NIC, and what the NIC remembers of it.
struct Flight {
  rte_mbuf* mbuf = nullptr;
  Fields fields;
  Layers layers;
  bool is_stale = true;  ///< `fields` and `layers` are older than the packet.
  bool is_marked = false;
  bool is_flagged = false;
  bool has_meta = false;

  [[nodiscard]] std::uint8_t* data() const { return rte_pktmbuf_mtod(mbuf, std::uint8_t*); }
  /// Brings fields and layers up to date.
  void refresh() {
    if (!is_stale) return;
    layers = view_packet({data(), rte_pktmbuf_data_len(mbuf)}, fields);
    is_stale = false;
  }
};

/// Executes an operation that writes to the packet. A packet that lacks the header stays as it is.
/// False: it is no such operation, or there was no memory for it.
bool edit_packet(const Op& op, bool ttl_stops_at_zero, Flight& flight);

}  // namespace emulated_nic
