// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace hoist::test {

/// Starts DPDK's environment once for this process: no huge pages, no PCI, nothing on disk, one
/// core. Ends the program if it cannot.
void start_eal();

}  // namespace hoist::test
