// SPDX-License-Identifier: BSD-3-Clause
// A session's requests for statistics and descriptions.
#include <memory>
#include <string>
#include <utility>

#include "openflow/flow_dump.hpp"
#include "openflow/meter_dump.hpp"
#include "openflow/session.hpp"

namespace hoist::openflow {

Decoded<void> Session::handle(const FlowStatsRequest& request, const Context& at) {
  with_fresh_counters(
      [this, request, reply_to = to(at), dump = std::shared_ptr<FlowDump>()]() mutable {
        if (!dump) dump = std::make_shared<FlowDump>(output_, reply_to, request, bridge_.rules());
        if (is_congested()) return Progress::kBlocked;
        return dump->write_slice(bridge_.now_ms()) ? Progress::kDone : Progress::kRunning;
      });
  return {};
}

Decoded<void> Session::handle(const AggregateRequest& request, const Context& at) {
  with_fresh_counters([this, request, reply_to = to(at)] {
    AggregateReply reply{.is_nicira = request.is_nicira};
    for (const RuleId id : bridge_.rules().select(RuleFilter::of(request.filter))) {
      reply.count += bridge_.rules().rule(id).count;
      ++reply.flow_count;
    }
    encode(output_, reply_to, reply);
    return Progress::kDone;
  });
  return {};
}

std::vector<TableStats> Session::table_stats() const {
  std::vector<TableStats> tables;
  tables.reserve(kTableCount);
  for (std::uint8_t t = 0; t < kTableCount; ++t) {
    const TableCount count = bridge_.planes().datapath().table_count(bridge_.id(), t);
    tables.push_back({.table_id = t,
                      .name = t == 0 ? "classifier" : "table" + std::to_string(t),
                      .active_count = bridge_.rules().rule_count(t),
                      .lookup_count = count.lookups,
                      .matched_count = count.matches});
  }
  return tables;
}

Decoded<void> Session::handle(const TableStatsRequest& /*request*/, const Context& at) {
  with_fresh_counters([this, reply_to = to(at)] {
    encode_table_stats(output_, reply_to, table_stats());
    return Progress::kDone;
  });
  return {};
}

Decoded<void> Session::handle(const TableFeaturesRequest& request, const Context& at) {
  if (request.is_set)
    return fault(ErrorName::kTableFeaturesPermission, "table features cannot be changed");
  encode_table_features(output_, to(at), table_stats());
  return {};
}

Decoded<void> Session::handle(const TableDescRequest& /*request*/, const Context& at) {
  encode_table_descs(output_, to(at), table_stats());
  return {};
}

Decoded<void> Session::handle(const PortStatsRequest& request, const Context& at) {
  std::vector<PortStats> out;
  for (const PortDesc& port : bridge_.ports()) {
    const PortNo number = port.status.number;
    if (request.port != PortNo::kAny && request.port != number) continue;
    const std::uint64_t age_ms = bridge_.port_age_ms(number);
    const auto counters = bridge_.planes().datapath().port_counters(bridge_.id(), number);
    out.push_back({.port_no = number,
                   .counters = counters.value_or(PortCounters{}),
                   .duration_s = static_cast<std::uint32_t>(age_ms / 1000),
                   .duration_ns = static_cast<std::uint32_t>(age_ms % 1000 * 1'000'000)});
  }
  if (out.empty() && request.port != PortNo::kAny && version_ != Version::kOf10) {
    return fault(ErrorName::kBadPort, "no such port");
  }
  encode_port_stats(output_, to(at), out);
  return {};
}

Decoded<void> Session::handle(const PortDescRequest& /*request*/, const Context& at) {
  encode_port_descs(output_, to(at), bridge_.ports());
  return {};
}

Decoded<void> Session::handle(const QueueStatsRequest& /*request*/, const Context& at) {
  encode_empty(output_, to(at), EmptyReply::kQueueStats);
  return {};
}

Decoded<void> Session::handle(const QueueGetConfigRequest& request, const Context& at) {
  if (request.port != PortNo::kAny && !bridge_.port(request.port)) {
    return fault(ErrorName::kBadPort, "no such port");
  }
  encode_queue_config_reply(output_, to(at), request.port);
  return {};
}

Decoded<void> Session::handle(const GroupStatsRequest& /*request*/, const Context& at) {
  encode_empty(output_, to(at), EmptyReply::kGroupStats);
  return {};
}

Decoded<void> Session::handle(const GroupDescRequest& /*request*/, const Context& at) {
  encode_empty(output_, to(at), EmptyReply::kGroupDesc);
  return {};
}

Decoded<void> Session::handle(const GroupFeaturesRequest& /*request*/, const Context& at) {
  encode_group_features(output_, to(at));
  return {};
}

template <class Dump>
Decoded<void> Session::dump_meters(MeterId meter, const Context& at) {
  if (meter != MeterId::kAll && bridge_.meters().find(meter) == nullptr) {
    return fault(ErrorName::kMeterModUnknownMeter, "no meter " + std::to_string(to_integer(meter)));
  }
  with_fresh_counters([this, meter, reply_to = to(at), dump = std::shared_ptr<Dump>()]() mutable {
    if (!dump) dump = std::make_shared<Dump>(output_, reply_to, meter, bridge_);
    if (is_congested()) return Progress::kBlocked;
    switch (dump->write_slice()) {
      case Dump::Progress::kDone:
        return Progress::kDone;
      case Dump::Progress::kMore:
        return Progress::kRunning;
      case Dump::Progress::kHeld:
        break;
    }
    return Progress::kBlocked;
  });
  return {};
}

Decoded<void> Session::handle(const MeterStatsRequest& request, const Context& at) {
  return dump_meters<MeterStatsDump>(request.meter_id, at);
}

Decoded<void> Session::handle(const MeterConfigRequest& request, const Context& at) {
  return dump_meters<MeterConfigDump>(request.meter_id, at);
}

Decoded<void> Session::handle(const MeterFeaturesRequest& /*request*/, const Context& at) {
  encode(output_, to(at), MeterRegistry::features());
  return {};
}

}  // namespace hoist::openflow
