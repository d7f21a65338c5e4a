// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace emulated_nic {

/// Registers /emulated_nic/books with DPDK's telemetry, once; and has the books written to the file
/// that EMULATED_NIC_BOOKS names when the program ends. Control path, any thread.
void offer_telemetry();

}  // namespace emulated_nic
