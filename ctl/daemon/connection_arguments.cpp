// SPDX-License-Identifier: BSD-3-Clause
#include "daemon/connection_arguments.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "text/connection_text.hpp"

namespace hoist::ctl {
namespace {

constexpr std::array<std::string_view, 4> kDatapathNames = {"hoist@hoist", "hoist",
                                                            "netdev@ovs-netdev", "ovs-netdev"};

template <class Integer>
std::optional<Integer> number(std::string_view text) {
  Integer value = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, value);
  if (parsed.ec != std::errc{} || parsed.ptr != end) return std::nullopt;
  return value;
}

/// The next of the parts that commas separate; nothing at the end.
std::optional<std::string_view> take_part(std::string_view& rest) {
  if (rest.empty()) return std::nullopt;
  const std::size_t comma = rest.find(',');
  const std::string_view part = rest.substr(0, comma);
  rest.remove_prefix(comma == std::string_view::npos ? rest.size() : comma + 1);
  return part;
}

std::string joined(std::string_view a, std::string_view b, std::string_view c = {}) {
  return std::string(a).append(b).append(c);
}

Result<ZoneLimit> read_zone_limit(std::string_view word) {
  std::optional<std::uint16_t> zone;
  std::optional<std::uint32_t> limit;
  for (std::string_view rest = word; const auto part = take_part(rest);) {
    const std::size_t equals = part->find('=');
    const std::string_view key = part->substr(0, equals);
    if (equals == std::string_view::npos || equals + 1 == part->size()) {
      return dpctl_error(joined("field ", key, " missing value"));
    }
    const std::string_view value = part->substr(equals + 1);
    if (key != "zone" && key != "limit") {
      return dpctl_error(joined("invalid zone limit field: ", key));
    }
    if (key == "zone") zone = number<std::uint16_t>(value);
    if (key == "limit") limit = number<std::uint32_t>(value);
    const bool is_good = key == "zone" ? zone.has_value() : limit.has_value();
    if (!is_good) return dpctl_error(joined("failed to parse field ", key));
  }
  if (!zone || !limit) return dpctl_error("failed to parse zone limit");
  return ZoneLimit{*zone, *limit, 0};
}

}  // namespace

tl::unexpected<Error> dpctl_error(std::string_view what, std::string_view why) {
  return failure(Errc::kInvalidArgument,
                 std::string("hoistd: ").append(what).append(" (").append(why).append(")"));
}

Result<ConnectionArguments> ConnectionArguments::read(const std::vector<std::string>& arguments) {
  ConnectionArguments out;
  for (const std::string& word : arguments) {
    if (word.size() < 2 || word.front() != '-') {
      out.words.push_back(word);
    } else if (word == "-m" || word == "--more") {
      out.is_verbose = true;
    } else if (word == "-s" || word == "--statistics") {
      out.has_stats = true;
    } else {
      return failure(Errc::kInvalidArgument, "Unrecognized option " + word);
    }
  }
  if (!out.words.empty() &&
      std::ranges::find(kDatapathNames, out.words.front()) != kDatapathNames.end()) {
    out.words.erase(out.words.begin());
  }
  return out;
}

Result<std::optional<std::uint32_t>> ConnectionArguments::only(std::string_view key,
                                                               std::uint32_t most) const {
  if (words.empty()) return std::nullopt;
  const std::string_view word = words.back();
  const bool is_it = word.starts_with(key) && word.substr(key.size()).starts_with("=");
  if (words.size() > 1 || !is_it) return dpctl_error("datapath not found");
  const auto value = number<std::uint32_t>(word.substr(key.size() + 1));
  if (!value || *value > most) return dpctl_error("datapath not found");
  return *value;
}

Result<ConnectionFilter> read_connection_filter(const std::vector<std::string>& words) {
  ConnectionFilter filter;
  unsigned tuples = 0;
  for (const std::string& word : words) {
    if (word.starts_with("zone=")) {
      filter.zone = number<std::uint16_t>(std::string_view(word).substr(5));
      if (!filter.zone) return dpctl_error("failed to parse zone");
      continue;
    }
    Result<void> taken;
    if (const auto label = text::parse_label_filter(word, filter)) {
      taken = *label;
    } else if (tuples < 2) {
      taken = text::parse_tuple_filter(word, tuples++ == 1, filter);
    } else {
      return dpctl_error("invalid arguments");
    }
    if (!taken) return dpctl_error(taken.error().message);
  }
  return filter;
}

Result<LimitChanges> read_limits(const std::vector<std::string>& words) {
  LimitChanges out;
  for (const std::string& word : words) {
    if (word.starts_with("default=")) {
      out.default_limit = number<std::uint32_t>(std::string_view(word).substr(8));
      if (!out.default_limit) return dpctl_error("invalid default limit");
      continue;
    }
    const Result<ZoneLimit> zone = read_zone_limit(word);
    if (!zone) return tl::unexpected<Error>(zone.error());
    out.zones.push_back(*zone);
  }
  return out;
}

Result<std::vector<std::uint16_t>> read_zones(const std::string& word) {
  if (!word.starts_with("zone=")) return dpctl_error("invalid argument " + word);
  std::vector<std::uint16_t> out;
  for (std::string_view rest = std::string_view(word).substr(5);
       const auto part = take_part(rest);) {
    const auto zone = number<std::uint16_t>(*part);
    if (!zone) return dpctl_error("invalid zone");
    out.push_back(*zone);
  }
  if (out.empty()) return dpctl_error("invalid zone");
  return out;
}

}  // namespace hoist::ctl
