// SPDX-License-Identifier: BSD-3-Clause
// Meters: OpenFlow 1.3's form, which 1.4 and 1.5 have kept.
#include <string>

#include "openflow/message_types.hpp"
#include "openflow/multipart_types.hpp"
#include "openflow/request_codec.hpp"

namespace hoist::openflow {
namespace {

constexpr std::size_t kBandSize = 16;  // of both kinds
constexpr std::uint16_t kFlagsKnown =
    MeterConfig::kKbps | MeterConfig::kPktps | MeterConfig::kBurst | MeterConfig::kStats;

/// | type 2 | len 2 | rate 4 | burst_size 4 | drop: pad 4; dscp_remark: prec_level 1, pad 3 |
Decoded<MeterBand> take_band(Reader& in) {
  const std::uint16_t type = in.u16();
  const std::uint16_t length = in.u16();
  const bool is_known = type == to_integer(MeterBand::Type::kDrop) ||
                        type == to_integer(MeterBand::Type::kDscpRemark);
  if (!is_known) {
    return fault(ErrorName::kMeterModBadBand, "band of type " + std::to_string(type));
  }
  MeterBand band{.type = static_cast<MeterBand::Type>(type)};
  band.rate = in.u32();
  band.burst_size = in.u32();
  band.prec_level = in.u8();
  in.skip(3);
  if (length != kBandSize || !in.is_ok()) {
    return fault(ErrorName::kBadLength, "meter band of a wrong length");
  }
  if (band.type == MeterBand::Type::kDrop) band.prec_level = 0;
  return band;
}

/// Open vSwitch lets flags name no unit; it is kbps then.
bool has_sound_flags(std::uint16_t flags) noexcept {
  const bool has_both = (flags & MeterConfig::kKbps) != 0 && (flags & MeterConfig::kPktps) != 0;
  return (flags & ~kFlagsKnown) == 0 && !has_both;
}

void put_bands(Bytes& out, const MeterConfig& config) {
  for (const MeterBand& band : config.bands) {
    put16(out, to_integer(band.type));
    put16(out, kBandSize);
    put32(out, band.rate);
    put32(out, band.burst_size);
    put8(out, band.prec_level);
    put_zeros(out, 3);
  }
}

}  // namespace

/// | command 2 | flags 2 | meter_id 4 | bands |
Decoded<MeterMod> decode_meter_mod(Reader in) {
  MeterMod mod;
  const std::uint16_t command = in.u16();
  mod.config.flags = in.u16();
  mod.config.id = MeterId{in.u32()};
  if (!in.is_ok()) return fault(ErrorName::kBadLength, "meter mod of a wrong length");
  if (command > to_integer(MeterMod::Command::kDelete)) {
    return fault(ErrorName::kMeterModBadCommand, "meter command " + std::to_string(command));
  }
  mod.command = static_cast<MeterMod::Command>(command);
  if (mod.command == MeterMod::Command::kDelete) return mod;
  if (!has_sound_flags(mod.config.flags)) {
    return fault(ErrorName::kMeterModBadFlags, "meter flags that contradict or are unknown");
  }
  mod.config.bands.reserve(in.left() / kBandSize);
  while (in.left() != 0) {
    const auto band = take_band(in);
    if (!band) return tl::unexpected(band.error());
    mod.config.bands.push_back(*band);
  }
  return mod;
}

MeterStatsReply::MeterStatsReply(Bytes& out, Envelope to)
    : parts_(out, to, to_integer(Multipart::kMeter)) {}

void MeterStatsReply::add(const MeterStatsEntry& entry) {
  entry_.clear();
  put32(entry_, to_integer(entry.meter_id));
  put16(entry_, 0);
  put_zeros(entry_, 6);
  put32(entry_, entry.flow_count);
  put64(entry_, entry.stats->in.packets);
  put64(entry_, entry.stats->in.bytes);
  put32(entry_, entry.duration_s);
  put32(entry_, entry.duration_ns);
  for (const TrafficCount& band : entry.stats->bands) {
    put64(entry_, band.packets);
    put64(entry_, band.bytes);
  }
  set16(entry_, 4, entry_.size());
  parts_.add(entry_);
}

MeterConfigReply::MeterConfigReply(Bytes& out, Envelope to)
    : parts_(out, to, to_integer(Multipart::kMeterConfig)) {}

void MeterConfigReply::add(const MeterConfig& config) {
  entry_.clear();
  put16(entry_, 0);
  put16(entry_, config.flags);
  put32(entry_, to_integer(config.id));
  put_bands(entry_, config);
  set16(entry_, 0, entry_.size());
  parts_.add(entry_);
}

/// | max_meter 4 | band_types 4 | capabilities 4 | max_bands 1 | max_color 1 | pad 2 |
void encode(Bytes& out, Envelope to, const MeterFeatures& features) {
  Bytes body;
  put32(body, features.max_meter);
  put32(body, features.band_types);
  put32(body, features.capabilities);
  put8(body, features.max_bands);
  put8(body, features.max_color);
  put_zeros(body, 2);
  MultipartReply reply(out, to, to_integer(Multipart::kMeterFeatures));
  reply.add(body);
  reply.finish();
}

}  // namespace hoist::openflow
