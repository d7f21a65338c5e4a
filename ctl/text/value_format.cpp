// SPDX-License-Identifier: BSD-3-Clause
#include <arpa/inet.h>

#include <charconv>

#include "text/field_text.hpp"
#include "text/flag_names.hpp"

namespace hoist::text {
namespace {

void append_decimal(std::string& out, std::uint64_t v) { out += std::to_string(v); }

void append_address(std::string& out, int family, const FieldValue& value) {
  char text[INET6_ADDRSTRLEN];
  out += inet_ntop(family, value.data() + (family == AF_INET ? 12 : 0), text, sizeof text);
}

void append_mac(std::string& out, const FieldValue& value) {
  constexpr char kDigits[] = "0123456789abcdef";
  for (std::size_t i = 10; i < 16; ++i) {
    if (i != 10) out += ':';
    out += kDigits[value[i] >> 4];
    out += kDigits[value[i] & 15];
  }
}

/// Up to 128 bits.
void append_hex_value(std::string& out, const FieldValue& value) {
  std::uint64_t high = 0;
  for (std::size_t i = 0; i < 8; ++i) high = high << 8 | value[i];
  append_hex(out, high != 0 ? high : low64(value));
  if (high == 0) return;
  char digits[16];
  const auto end = std::to_chars(digits, digits + 16, low64(value), 16).ptr;
  out.append(static_cast<std::size_t>(16 - (end - digits)), '0').append(digits, end);
}

/// The length if the mask is a run of ones from the top.
std::optional<unsigned> prefix_length(const Field& f, const FieldValue& mask) noexcept {
  const auto bit = [&mask](unsigned i) { return (mask[15 - i / 8] >> i % 8 & 1) != 0; };
  unsigned length = 0;
  while (length < f.bits && bit(f.bits - 1u - length)) ++length;
  for (unsigned i = 0; i + length < f.bits; ++i) {
    if (bit(i)) return std::nullopt;
  }
  return length;
}

void append_signed_flags(std::string& out, std::span<const FlagName> names, std::uint64_t value,
                         std::uint64_t mask) {
  for (const FlagName& flag : names) {
    if ((mask & flag.bit) == 0) continue;
    out += (value & flag.bit) != 0 ? '+' : '-';
    out += flag.name;
  }
}
void append_joined_flags(std::string& out, std::span<const FlagName> names, std::uint64_t value) {
  if (value == 0) out += '0';
  bool is_first = true;
  for (const FlagName& flag : names) {
    if ((value & flag.bit) == 0) continue;
    if (!is_first) out += '|';
    out += flag.name;
    is_first = false;
  }
}

void append_fragment(std::string& out, std::uint64_t value, std::uint64_t mask) {
  const bool is_any = (value & kFragAny) != 0;
  const bool is_later = (value & kFragLater) != 0;
  if (mask == kFragAny) {
    out += is_any ? "yes" : "no";
  } else if (mask == kFragLater) {
    out += is_later ? "later" : "not_later";
  } else {
    out += is_later ? "later" : is_any ? "first" : "no";
  }
}

void append_bare(std::string& out, const Field& f, const FieldValue& value) {
  switch (f.display) {
    case Display::kMac:
      append_mac(out, value);
      return;
    case Display::kIpv4:
      append_address(out, AF_INET, value);
      return;
    case Display::kIpv6:
      append_address(out, AF_INET6, value);
      return;
    case Display::kDecimal:
      append_decimal(out, low64(value));
      return;
    default:
      append_hex_value(out, value);
      return;
  }
}

/// Displays that have a notation of their own for value and mask together.
bool append_special(std::string& out, const Field& f, const FieldValue& value,
                    const FieldValue& mask) {
  const bool is_whole = mask == full_mask(f);
  switch (f.display) {
    case Display::kFrag:
      append_fragment(out, low64(value), low64(mask));
      return true;
    case Display::kTcpFlags:
      if (is_whole) {
        append_joined_flags(out, kTcpFlagNames, low64(value));
      } else {
        append_signed_flags(out, kTcpFlagNames, low64(value), low64(mask));
      }
      return true;
    case Display::kCtState:
      if (is_whole) {
        append_joined_flags(out, kCtStateNames, low64(value));
      } else {
        append_signed_flags(out, kCtStateNames, low64(value), low64(mask));
      }
      return true;
    default:
      return false;
  }
}

}  // namespace

void append_hex(std::string& out, std::uint64_t v) {
  char digits[16];
  out.append("0x").append(digits, std::to_chars(digits, digits + 16, v, 16).ptr);
}

void append_port(std::string& out, PortNo port, const PortNamer& name_of) {
  if (const std::string_view reserved = reserved_name(port); !reserved.empty()) {
    out += reserved;
    return;
  }
  const std::string name = name_of ? name_of(port) : std::string{};
  if (name.empty()) {
    append_decimal(out, to_integer(port));
  } else {
    out += name;
  }
}

void append_value(std::string& out, const Field& f, const FieldValue& value, const FieldValue& mask,
                  const PortNamer& name_of) {
  if (f.display == Display::kPort) {
    append_port(out, PortNo{static_cast<std::uint32_t>(low64(value))}, name_of);
    return;
  }
  if (append_special(out, f, value, mask)) return;
  const bool is_partial = mask != full_mask(f);
  if (is_partial && f.display == Display::kDecimal) {
    append_hex_value(out, value);
  } else {
    append_bare(out, f, value);
  }
  if (!is_partial) return;
  out += '/';
  const bool is_address = f.display == Display::kIpv4 || f.display == Display::kIpv6;
  const auto length = is_address ? prefix_length(f, mask) : std::nullopt;
  if (length) {
    append_decimal(out, *length);
  } else if (f.display == Display::kDecimal) {
    append_hex_value(out, mask);
  } else {
    append_bare(out, f, mask);
  }
}

}  // namespace hoist::text
