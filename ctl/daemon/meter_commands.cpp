// SPDX-License-Identifier: BSD-3-Clause
// Commands that load many flows or meters, and what OpenFlow has no word for.
#include <charconv>
#include <memory>
#include <nlohmann/json.hpp>

#include "daemon/bulk.hpp"
#include "daemon/commands.hpp"
#include "text/meter_text.hpp"

namespace hoist::ctl {
namespace {

using Json = nlohmann::json;
using Text = Result<std::string>;

Json errors_json(const std::vector<BulkLoad::LineError>& errors) {
  Json out = Json::array();
  for (const auto& [line, message] : errors) out.push_back({{"line", line}, {"message", message}});
  return out;
}

std::string to_text(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<BulkLoad*> find_load(BulkLoads& loads, const std::string& id) {
  std::uint32_t number = 0;
  std::from_chars(id.data(), id.data() + id.size(), number);
  BulkLoad* load = loads.find(number);
  if (load == nullptr) return failure(Errc::kNotFound, "no such load");
  return load;
}

}  // namespace

void Commands::add_bulk_commands(CommandTable& table) {
  const auto self = std::make_shared<Commands>(*this);
  const auto loads = std::make_shared<BulkLoads>();
  table.add_plain("bulk/begin", "BRIDGE flows|meters [keep-going]", 2, 3,
                  [self, loads](const Arguments& arguments) -> Text {
                    const Result<openflow::Bridge*> found = self->bridge(arguments[0]);
                    if (!found) return tl::unexpected<Error>(found.error());
                    const bool is_meters = arguments[1] == "meters";
                    if (!is_meters && arguments[1] != "flows") {
                      return failure(Errc::kInvalidArgument, "neither flows nor meters");
                    }
                    const auto kind = is_meters ? BulkLoad::Kind::kMeters : BulkLoad::Kind::kFlows;
                    return std::to_string(loads->begin({**found, kind, arguments.size() == 3}));
                  });
  table.add_plain("bulk/add", "LOAD LINES", 2, 2, [loads](const Arguments& arguments) -> Text {
    const Result<BulkLoad*> load = find_load(*loads, arguments[0]);
    if (!load) return tl::unexpected<Error>(load.error());
    return to_text({{"errors", errors_json((*load)->add(arguments[1]))}});
  });
  table.add_plain("bulk/commit", "LOAD", 1, 1, [loads](const Arguments& arguments) -> Text {
    const Result<BulkLoad*> load = find_load(*loads, arguments[0]);
    if (!load) return tl::unexpected<Error>(load.error());
    const BulkLoad::Report report = (*load)->commit();
    std::uint32_t number = 0;
    std::from_chars(arguments[0].data(), arguments[0].data() + arguments[0].size(), number);
    loads->end(number);
    return to_text({{"applied", report.applied}, {"errors", errors_json(report.errors)}});
  });
}

void Commands::add_meter_commands(CommandTable& table) {
  const auto self = std::make_shared<Commands>(*this);
  table.add_plain("meter/set-accounting", "BRIDGE METER layer1|layer2|layer3", 3, 3,
                  [self](const Arguments& arguments) -> Text {
                    const Result<openflow::Bridge*> found = self->bridge(arguments[0]);
                    if (!found) return tl::unexpected<Error>(found.error());
                    const auto id = text::parse_meter_id(arguments[1]);
                    if (!id) return tl::unexpected<Error>(id.error());
                    const auto accounting = text::parse_accounting(arguments[2]);
                    if (!accounting) return tl::unexpected<Error>(accounting.error());
                    const Result<void> done = (*found)->set_accounting(*id, *accounting);
                    if (!done) return tl::unexpected<Error>(done.error());
                    return "";
                  });
}

}  // namespace hoist::ctl
