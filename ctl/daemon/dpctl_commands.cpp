// SPDX-License-Identifier: BSD-3-Clause
// Open vSwitch's dpctl/... commands about offloading. Its datapath has flows that packets made;
// ours has the rules themselves, so those are what is listed.
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>

#include "daemon/commands.hpp"
#include "daemon/dpctl_text.hpp"

namespace hoist::ctl {

void Commands::add_dpctl_commands(CommandTable& table) {
  const auto self = std::make_shared<Commands>(*this);
  table.add("dpctl/dump-flows",
            {.usage = "[-m] [--names] [DP] [type=TYPE]",
             .min_arguments = 0,
             .max_arguments = 5,
             .handler = [self](const Arguments& arguments, const CommandTable::Answer& answer) {
               self->dump_datapath_flows(arguments, answer);
             }});
  table.add_plain("dpctl/offload-stats-show", "[-m] [DP]", 0, 2, [self](const Arguments&) {
    return Result<std::string>(offload_stats_text(self->daemon_.parts_.flow_manager->stats()));
  });
}

void Commands::dump_datapath_flows(const Arguments& arguments, const CommandTable::Answer& answer) {
  const Result<FlowDumpOptions> options = flow_dump_options(arguments);
  if (!options) return answer(tl::unexpected<Error>(options.error()));
  openflow::Planes& planes = daemon_.agent_.planes();
  planes.refresh();
  planes.flow_manager().describe(
      {}, [this, answer, options = *options, &planes](std::vector<Placement> placements) {
        planes.collect();
        std::ranges::sort(placements, {}, &Placement::rule);
        std::string out;
        for (const Placement& placement : placements) {
          const openflow::Rule* rule = daemon_.agent_.slab().find(placement.rule);
          if (rule == nullptr || !rule->spec || !options.wants(placement.tier)) continue;
          const std::uint64_t now_ms = planes.datapath().now_ms();
          out += flow_dump_line({.rule = *rule->spec,
                                 .placement = placement,
                                 .count = rule->count,
                                 .idle_ms = now_ms - std::min(now_ms, rule->used_ms)},
                                options.is_verbose);
        }
        answer(std::move(out));
      });
}

}  // namespace hoist::ctl
