// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hoist/fragments.hpp"
#include "rpc/command_table.hpp"

namespace hoist::ctl {

/// Adds Open vSwitch's dpctl/ipf-... commands, in its words. `fragments` must outlive them.
void add_fragment_commands(CommandTable& table, Fragments& fragments);

}  // namespace hoist::ctl
