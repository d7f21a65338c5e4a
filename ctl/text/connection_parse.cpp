// SPDX-License-Identifier: BSD-3-Clause
// Filters of connections, in the words of ovs-appctl dpctl/flush-conntrack.
#include <arpa/inet.h>

#include <cctype>

#include "text/connection_text.hpp"
#include "text/scan.hpp"

namespace hoist::text {
namespace {

tl::unexpected<Error> wrong(std::string_view words, std::string_view what = {}) {
  return failure(Errc::kInvalidArgument, std::string(words).append(what));
}

template <class Integer>
bool take_number(std::string_view value, Integer& out) {
  const std::optional<std::uint64_t> number = to_number(value);
  if (!number || *number > std::uint64_t{static_cast<Integer>(~Integer{0})}) return false;
  out = static_cast<Integer>(*number);
  return true;
}

bool take_address(const std::string& value, std::uint8_t family, Ipv6Address& out) {
  out = {};
  return ::inet_pton(family == 4 ? AF_INET : AF_INET6, value.c_str(), out.data()) == 1;
}

Result<void> take_field(std::string_view key, std::string_view value, TupleFilter& tuple,
                        ConnectionFilter& filter) {
  bool is_good = false;
  const bool is_ipv4 = key == "ct_nw_src" || key == "ct_nw_dst";
  if (is_ipv4 || key == "ct_ipv6_src" || key == "ct_ipv6_dst") {
    const std::uint8_t family = is_ipv4 ? 4 : 6;
    if (filter.family != 0 && filter.family != family) {
      return wrong("the L3 protocol does not match ", value);
    }
    Ipv6Address& address = key.ends_with("src") ? tuple.src : tuple.dst;
    is_good = take_address(std::string(value), family, address);
    filter.family = family;
  } else if (key == "ct_nw_proto") {
    is_good = take_number(value, filter.ip_proto);
  } else if (key == "ct_tp_src") {
    is_good = take_number(value, tuple.src_port);
  } else if (key == "ct_tp_dst") {
    is_good = take_number(value, tuple.dst_port);
  } else if (key == "icmp_id" || key == "icmp_type" || key == "icmp_code") {
    if (filter.ip_proto != 1 && filter.ip_proto != 58) return wrong("invalid L4 fields");
    is_good = key == "icmp_id"     ? take_number(value, tuple.icmp_id)
              : key == "icmp_type" ? take_number(value, tuple.icmp_type)
                                   : take_number(value, tuple.icmp_code);
  } else {
    return wrong("invalid conntrack tuple field: ", key);
  }
  if (!is_good) return wrong("failed to parse field ", key);
  return {};
}

/// 128 bits from hexadecimal or decimal digits.
bool take_label(std::string_view value, std::array<std::uint8_t, 16>& out) {
  out = {};
  if (!value.starts_with("0x")) {
    std::uint64_t number = 0;
    if (!take_number(value, number)) return false;
    for (std::size_t i = 16; i-- > 8; number >>= 8) out[i] = static_cast<std::uint8_t>(number);
    return true;
  }
  value.remove_prefix(2);
  if (value.empty() || value.size() > 32) return false;
  std::size_t at = 32 - value.size();
  for (const char c : value) {
    if (std::isxdigit(static_cast<unsigned char>(c)) == 0) return false;
    const int digit = c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;
    out[at / 2] = static_cast<std::uint8_t>(out[at / 2] | digit << (at % 2 == 0 ? 4 : 0));
    ++at;
  }
  return true;
}

}  // namespace

Result<void> parse_tuple_filter(std::string_view text, bool is_reply, ConnectionFilter& filter) {
  TupleFilter& tuple = is_reply ? filter.reply : filter.original;
  while (const std::optional<Word> word = take_word(text)) {
    if (!word->has_value || word->value.empty()) {
      return wrong("field ", std::string(word->name).append(" missing value"));
    }
    if (Result<void> taken = take_field(word->name, word->value, tuple, filter); !taken) {
      return taken;
    }
  }
  if (filter.ip_proto == 0 && (tuple.src_port != 0 || tuple.dst_port != 0)) {
    return wrong("port is set without protocol");
  }
  return {};
}

std::optional<Result<void>> parse_label_filter(std::string_view text, ConnectionFilter& filter) {
  const Halves field = split(text, "=");
  if (!field.after || (field.before != "mark" && field.before != "labels")) return std::nullopt;
  const Halves value = split(*field.after, "/");
  bool is_good = false;
  if (field.before == "mark") {
    filter.mark_mask = 0xffffffff;
    is_good = take_number(value.before, filter.mark) &&
              (!value.after || take_number(*value.after, filter.mark_mask));
  } else {
    filter.label_mask.fill(0xff);
    is_good = take_label(value.before, filter.label) &&
              (!value.after || take_label(*value.after, filter.label_mask));
  }
  if (!is_good) return Result<void>(wrong("failed to parse ", field.before));
  return Result<void>();
}

}  // namespace hoist::text
