// SPDX-License-Identifier: BSD-3-Clause
#include <string>

#include "openflow/match_codec.hpp"
#include "openflow/multipart_types.hpp"
#include "openflow/request_codec.hpp"

namespace hoist::openflow {
namespace {

constexpr std::uint16_t kMore = 1;

tl::unexpected<Fault> wrong_length() {
  return fault(ErrorName::kBadLength, "multipart request of a wrong length");
}

Decoded<FlowStatsFilter> flow_filter(Reader in, Version version) {
  FlowStatsFilter f;
  if (version == Version::kOf10) {
    if (in.left() != 44) return wrong_length();
    f.match = take_of10_match(in).match;
    f.table_id = in.u8();
    in.skip(1);
    f.out_port = port_from_16(in.u16());
    return f;
  }
  f.table_id = in.u8();
  in.skip(3);
  f.out_port = PortNo{in.u32()};
  f.out_group = in.u32();
  in.skip(4);
  f.cookie = in.u64();
  f.cookie_mask = in.u64();
  if (!in.is_ok()) return wrong_length();
  if (!is_port_number(f.out_port)) return fault(ErrorName::kActionBadOutPort, "no such out_port");
  if (auto done = take_oxm_match(in, f.match); !done)
    return tl::unexpected(std::move(done.error()));
  if (in.left() != 0) return wrong_length();
  return f;
}

/// NXST_FLOW, NXST_AGGREGATE: | out_port 2 | match_len 2 | table_id 1 | pad 3 | match |
Decoded<FlowStatsFilter> nicira_filter(Reader in) {
  FlowStatsFilter f;
  f.out_port = port_from_16(in.u16());
  const std::uint16_t match_size = in.u16();
  f.table_id = in.u8();
  in.skip(3);
  if (!in.is_ok()) return wrong_length();
  CookieFilter cookie;
  if (auto done = take_nxm_match(in, match_size, f.match, cookie); !done) {
    return tl::unexpected(std::move(done.error()));
  }
  if (in.left() != 0) return wrong_length();
  f.cookie = cookie.cookie;
  f.cookie_mask = cookie.mask;
  return f;
}

template <class R>
Decoded<Request> with_filter(Decoded<FlowStatsFilter> filter, bool is_nicira) {
  if (!filter) return tl::unexpected(std::move(filter.error()));
  return R{std::move(*filter), is_nicira};
}

/// | id 4 | flags 2 | out_port 2 | match_len 2 | table_id 1 | zeros 5 | match |
Decoded<Request> nicira_monitor(Reader in) {
  FlowMonitorRequest r;
  r.is_nicira = true;
  r.monitor_id = in.u32();
  r.flags = in.u16();
  r.filter.out_port = port_from_16(in.u16());
  const std::uint16_t match_size = in.u16();
  r.filter.table_id = in.u8();
  if (!is_all_zeros(in.bytes(5))) return fault(ErrorName::kMustBeZero, "flow monitor padding");
  if (!in.is_ok()) return wrong_length();
  if ((r.flags & ~0x3fu) != 0)
    return fault(ErrorName::kMonitorBadFlags, "flow monitor flags unknown");
  CookieFilter cookie;
  if (auto done = take_nxm_match(in, match_size, r.filter.match, cookie); !done) {
    return tl::unexpected(std::move(done.error()));
  }
  r.filter.cookie = cookie.cookie;
  r.filter.cookie_mask = cookie.mask;
  if (in.left() != 0) return wrong_length();
  return r;
}

/// OpenFlow 1.4, 7.3.5.17.
Decoded<Request> flow_monitor(Reader in) {
  FlowMonitorRequest r;
  r.monitor_id = in.u32();
  r.filter.out_port = PortNo{in.u32()};
  r.filter.out_group = in.u32();
  r.flags = in.u16();
  r.filter.table_id = in.u8();
  r.command = in.u8();
  if (!in.is_ok()) return wrong_length();
  if (r.command > 2) return fault(ErrorName::kMonitorBadCommand, "flow monitor command unknown");
  if ((r.flags & ~0x7fu) != 0)
    return fault(ErrorName::kMonitorBadFlags, "flow monitor flags unknown");
  if (auto done = take_oxm_match(in, r.filter.match); !done) {
    return tl::unexpected(std::move(done.error()));
  }
  if (in.left() != 0) return wrong_length();
  return r;
}

Decoded<Request> nicira_stats(Reader in, Version version) {
  const std::uint32_t vendor = in.u32();
  const std::uint32_t subtype = in.u32();
  if (version == Version::kOf10) in.skip(4);
  if (vendor != kNiciraId)
    return fault(ErrorName::kBadExperimenter, "statistics of an unknown vendor");
  if (!in.is_ok()) return wrong_length();
  switch (static_cast<NiciraStats>(subtype)) {
    case NiciraStats::kFlow:
      return with_filter<FlowStatsRequest>(nicira_filter(in), true);
    case NiciraStats::kAggregate:
      return with_filter<AggregateRequest>(nicira_filter(in), true);
    case NiciraStats::kFlowMonitor:
      return nicira_monitor(in);
  }
  return fault(ErrorName::kBadSubtype, "Nicira statistics " + std::to_string(subtype) + " unknown");
}

Decoded<Request> port_stats(Reader in, Version version) {
  if (in.left() != 8) return wrong_length();
  return PortStatsRequest{version == Version::kOf10 ? port_from_16(in.u16()) : PortNo{in.u32()}};
}

template <class R>
Decoded<Request> if_long(const Reader& in, std::size_t size) {
  if (in.left() != size) return wrong_length();
  return R{};
}

/// Those that OpenFlow 1.0 has too.
Decoded<Request> basic(Multipart type, Reader in, Version version) {
  switch (type) {
    case Multipart::kDesc:
      return if_long<DescRequest>(in, 0);
    case Multipart::kFlow:
      return with_filter<FlowStatsRequest>(flow_filter(in, version), false);
    case Multipart::kAggregate:
      return with_filter<AggregateRequest>(flow_filter(in, version), false);
    case Multipart::kTable:
      return if_long<TableStatsRequest>(in, 0);
    case Multipart::kPort:
      return port_stats(in, version);
    case Multipart::kQueue:
      return if_long<QueueStatsRequest>(in, 8);
    case Multipart::kPortDesc:
      return if_long<PortDescRequest>(in, is_at_least(version, Version::kOf15) ? 8 : 0);
    default:
      break;
  }
  return fault(ErrorName::kBadStat,
               "multipart type " + std::to_string(to_integer(type)) + " unknown");
}

}  // namespace

Decoded<Request> decode_multipart(Reader in, Version version) {
  const auto type = static_cast<Multipart>(in.u16());
  const std::uint16_t flags = in.u16();
  const bool is_10 = version == Version::kOf10;
  if (!is_10) in.skip(4);
  if (!in.is_ok()) return wrong_length();
  if (type == Multipart::kExperimenter) return nicira_stats(in, version);
  if (type == Multipart::kTableFeatures && !is_10) return TableFeaturesRequest{in.left() != 0};
  if ((flags & kMore) != 0) {
    return fault(ErrorName::kMultipartBufferOverflow, "request in several parts");
  }
  if (is_10) return basic(type, in, version);
  switch (type) {
    case Multipart::kGroup:
      return if_long<GroupStatsRequest>(in, 8);
    case Multipart::kGroupDesc:
      return if_long<GroupDescRequest>(in, is_at_least(version, Version::kOf15) ? 8 : 0);
    case Multipart::kGroupFeatures:
      return if_long<GroupFeaturesRequest>(in, 0);
    case Multipart::kMeter:
      if (in.left() != 8) return wrong_length();
      return MeterStatsRequest{MeterId{in.u32()}};
    case Multipart::kMeterConfig:
      if (in.left() != 8) return wrong_length();
      return MeterConfigRequest{MeterId{in.u32()}};
    case Multipart::kMeterFeatures:
      return if_long<MeterFeaturesRequest>(in, 0);
    default:
      break;
  }
  if (is_at_least(version, Version::kOf14)) {
    if (type == Multipart::kTableDesc) return if_long<TableDescRequest>(in, 0);
    if (type == Multipart::kFlowMonitor) return flow_monitor(in);
  }
  return basic(type, in, version);
}

}  // namespace hoist::openflow
