// SPDX-License-Identifier: BSD-3-Clause
#include <limits>

#include "text/meter_text.hpp"
#include "text/scan.hpp"

namespace hoist::text {
namespace {

const PortResolver kNoPorts;

class Parser {
 public:
  explicit Parser(const Scan& scan) : scan_(scan) { out_.flags = 0; }

  Result<MeterConfig> parse() && {
    std::string_view rest = scan_.all;
    while (const auto word = take_word(rest)) {
      if (auto done = take(*word); !done) return tl::unexpected(std::move(done.error()));
    }
    const std::string_view end = scan_.all.substr(scan_.all.size());
    if (!has_id_) return scan_.wrong(end, "meter= is missing");
    const unsigned units = out_.flags & (MeterConfig::kKbps | MeterConfig::kPktps);
    if (units == 0) return scan_.wrong(end, "kbps or pktps is missing");
    if (units == (MeterConfig::kKbps | MeterConfig::kPktps)) {
      return scan_.wrong(end, "kbps and pktps exclude each other");
    }
    if (out_.bands.empty()) return scan_.wrong(end, "a band is missing");
    for (const MeterBand& band : out_.bands) {
      if (band.rate == 0) return scan_.wrong(end, "a band without a rate");
    }
    return std::move(out_);
  }

 private:
  struct Flag {
    std::string_view name;
    std::uint16_t flag;
  };
  static constexpr Flag kFlags[] = {{"kbps", MeterConfig::kKbps},
                                    {"pktps", MeterConfig::kPktps},
                                    {"burst", MeterConfig::kBurst},
                                    {"stats", MeterConfig::kStats}};

  Result<void> take(const Word& word) {
    for (const Flag& flag : kFlags) {
      if (word.whole != flag.name) continue;
      out_.flags = static_cast<std::uint16_t>(out_.flags | flag.flag);
      return {};
    }
    if (word.name == "meter") return meter(word);
    if (word.name == "accounting") return accounting(word);
    if (word.name == "bands" || word.name == "band") return first_of_band(word);
    if (word.name == "type") return type(word.value);
    if (out_.bands.empty()) return scan_.wrong(word.whole, "not a flag, and no band has begun");
    MeterBand& band = out_.bands.back();
    if (word.name == "rate") return number(word.value, band.rate);
    if (word.name == "burst_size") return number(word.value, band.burst_size);
    if (word.name == "prec_level") return number(word.value, band.prec_level);
    return scan_.wrong(word.whole, "not a setting of a meter");
  }

  Result<void> meter(const Word& word) {
    const auto id = parse_meter_id(word.value);
    if (!id) return scan_.wrong(word.value, "not a meter's number");
    out_.id = *id;
    has_id_ = true;
    return {};
  }
  Result<void> accounting(const Word& word) {
    const auto accounting = parse_accounting(word.value);
    if (!accounting) return scan_.wrong(word.value, accounting.error().message);
    out_.accounting = *accounting;
    return {};
  }
  /// "bands=type=drop": the first word of the first band hangs on it.
  Result<void> first_of_band(const Word& word) {
    if (word.value.empty()) return {};
    std::string_view rest = word.value;
    const auto inner = take_word(rest);
    return inner ? take(*inner) : Result<void>{};
  }
  Result<void> type(std::string_view name) {
    MeterBand band;
    if (name == "dscp_remark") {
      band.type = MeterBand::Type::kDscpRemark;
    } else if (name != "drop") {
      return scan_.wrong(name, "neither drop nor dscp_remark");
    }
    if (out_.bands.size() == MeterConfig::kBandsMax) return scan_.wrong(name, "more than 8 bands");
    out_.bands.push_back(band);
    return {};
  }
  template <class T>
  Result<void> number(std::string_view word, T& to) {
    const auto v = scan_.number(word, std::numeric_limits<T>::max());
    if (!v) return tl::unexpected(v.error());
    to = static_cast<T>(*v);
    return {};
  }

  const Scan& scan_;
  MeterConfig out_;
  bool has_id_ = false;
};

}  // namespace

Result<MeterConfig> parse_meter(std::string_view text) {
  const Scan scan{text, kNoPorts};
  return Parser(scan).parse();
}

Result<MeterId> parse_meter_id(std::string_view text) {
  if (equals_ignoring_case(text, "controller")) return MeterId::kController;
  if (equals_ignoring_case(text, "slowpath")) return MeterId::kSlowpath;
  const auto number = to_number(text);
  if (number && *number != 0 && *number <= to_integer(MeterId::kMax)) {
    return MeterId{static_cast<std::uint32_t>(*number)};
  }
  std::string message(text);
  return failure(Errc::kInvalidArgument, message.append(": not a meter's number"));
}

Result<MeterConfig::Accounting> parse_accounting(std::string_view text) {
  if (text == "layer1") return MeterConfig::Accounting::kLayer1;
  if (text == "layer2") return MeterConfig::Accounting::kLayer2;
  if (text == "layer3") return MeterConfig::Accounting::kLayer3;
  return failure(Errc::kInvalidArgument, "not layer1, layer2 or layer3");
}

}  // namespace hoist::text
