// SPDX-License-Identifier: BSD-3-Clause
#include <arpa/inet.h>

#include <array>
#include <cstring>

#include "text/field_text.hpp"
#include "text/flag_names.hpp"

namespace hoist::text {
namespace {

int hex_digit(char c) noexcept {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

/// One or two digits between colons, six times.
std::optional<FieldValue> to_mac(std::string_view word) noexcept {
  FieldValue out{};
  for (std::size_t i = 0; i < 6; ++i) {
    const std::string_view byte = word.substr(0, word.find(':'));
    if (byte.empty() || byte.size() > 2) return std::nullopt;
    int v = 0;
    for (const char c : byte) {
      if (hex_digit(c) < 0) return std::nullopt;
      v = v * 16 + hex_digit(c);
    }
    out[10 + i] = static_cast<std::uint8_t>(v);
    word.remove_prefix(byte.size());
    if (i == 5) return word.empty() ? std::optional(out) : std::nullopt;
    if (word.empty()) return std::nullopt;
    word.remove_prefix(1);
  }
  return std::nullopt;
}

std::optional<FieldValue> to_address(int family, std::string_view word) noexcept {
  char text[INET6_ADDRSTRLEN] = {};
  if (word.size() >= sizeof text) return std::nullopt;
  std::memcpy(text, word.data(), word.size());
  FieldValue out{};
  const std::size_t skip = family == AF_INET ? 12 : 0;
  if (inet_pton(family, text, out.data() + skip) != 1) return std::nullopt;
  return out;
}

/// `count` ones from the top of `bits`.
FieldValue prefix_mask(std::size_t bits, std::size_t count) noexcept {
  FieldValue out{};
  for (std::size_t i = bits - count; i < bits; ++i) {
    out[15 - i / 8] = static_cast<std::uint8_t>(out[15 - i / 8] | 1u << i % 8);
  }
  return out;
}

/// A number of up to 128 bits; above 64 bits in hexadecimal.
std::optional<FieldValue> to_integer_value(std::string_view word) noexcept {
  if (const auto v = to_number(word)) return field_value(*v);
  if (!word.starts_with("0x") && !word.starts_with("0X")) return std::nullopt;
  word.remove_prefix(2);
  if (word.empty() || word.size() > 32) return std::nullopt;
  FieldValue out{};
  std::size_t nibble = 0;
  for (auto c = word.rbegin(); c != word.rend(); ++c, ++nibble) {
    const int digit = hex_digit(*c);
    if (digit < 0) return std::nullopt;
    out[15 - nibble / 2] =
        static_cast<std::uint8_t>(out[15 - nibble / 2] | digit << (nibble % 2 == 0 ? 0 : 4));
  }
  return out;
}

/// Field-typed value without mask.
std::optional<FieldValue> to_value(const Field& f, std::string_view word) noexcept {
  switch (f.display) {
    case Display::kMac:
      return to_mac(word);
    case Display::kIpv4:
      return to_address(AF_INET, word);
    case Display::kIpv6:
      return to_address(AF_INET6, word);
    default:
      return to_integer_value(word);
  }
}

std::optional<FieldValue> to_mask(const Field& f, std::string_view word) noexcept {
  const bool is_address = f.display == Display::kIpv4 || f.display == Display::kIpv6;
  if (is_address) {
    const auto count = to_number(word);
    if (count) return *count <= f.bits ? std::optional(prefix_mask(f.bits, *count)) : std::nullopt;
  }
  return to_value(f, word);
}

/// "+syn-ack" or "syn|ack".
std::optional<ValueMask> to_flags(std::span<const FlagName> names, std::string_view word) noexcept {
  std::uint64_t value = 0;
  std::uint64_t mask = 0;
  const bool is_signed = word.front() == '+' || word.front() == '-';
  while (!word.empty()) {
    const bool is_set = word.front() != '-';
    if (is_signed) word.remove_prefix(1);
    const std::string_view name = word.substr(0, word.find_first_of(is_signed ? "+-" : "|"));
    const auto bit = flag_named(names, name);
    if (!bit) return std::nullopt;
    mask |= *bit;
    if (is_set) value |= *bit;
    word.remove_prefix(name.size());
    if (!is_signed && !word.empty()) word.remove_prefix(1);
  }
  if (!is_signed) mask = UINT64_MAX;
  return ValueMask{field_value(value), field_value(mask)};
}

std::optional<ValueMask> to_fragment(std::string_view word) noexcept {
  constexpr std::uint8_t kBoth = kFragAny | kFragLater;
  if (word == "no") return ValueMask{field_value(0), field_value(kBoth)};
  if (word == "yes") return ValueMask{field_value(kFragAny), field_value(kFragAny)};
  if (word == "first") return ValueMask{field_value(kFragAny), field_value(kBoth)};
  if (word == "later") return ValueMask{field_value(kBoth), field_value(kBoth)};
  if (word == "not_later") return ValueMask{field_value(0), field_value(kFragLater)};
  return std::nullopt;
}

bool fits(const FieldValue& value, const FieldValue& full) noexcept {
  for (std::size_t i = 0; i < 16; ++i) {
    if ((value[i] & ~full[i]) != 0) return false;
  }
  return true;
}

std::optional<ValueMask> special_form(const Field& f, std::string_view word) noexcept {
  const bool is_number = word.front() >= '0' && word.front() <= '9';
  if (f.display == Display::kFrag) return to_fragment(word);
  if (is_number) return std::nullopt;
  if (f.display == Display::kTcpFlags) return to_flags(kTcpFlagNames, word);
  if (f.display == Display::kCtState) return to_flags(kCtStateNames, word);
  return std::nullopt;
}

ValueMask masked(const FieldValue& value, const FieldValue& mask, const FieldValue& full) noexcept {
  ValueMask out{value, mask};
  for (std::size_t i = 0; i < 16; ++i) {
    out.mask[i] &= full[i];
    out.value[i] &= out.mask[i];
  }
  return out;
}

}  // namespace

Result<ValueMask> parse_value(const Scan& scan, const Field& f, std::string_view word) {
  if (word.empty()) return scan.wrong(word, std::string(f.name) + " lacks a value");
  const FieldValue full = full_mask(f);
  if (f.display == Display::kPort) {
    const auto port = scan.port(word);
    if (!port) return tl::unexpected(port.error());
    return ValueMask{field_value(to_integer(*port)), full};
  }
  if (const auto special = special_form(f, word))
    return masked(special->value, special->mask, full);
  const Halves halves = split(word, "/");
  const auto value = to_value(f, halves.before);
  if (!value) return scan.wrong(word, "not a value of " + std::string(f.name));
  if (!fits(*value, full)) return scan.wrong(word, "too large for " + std::string(f.name));
  if (!halves.after) return ValueMask{*value, full};
  const auto mask = to_mask(f, *halves.after);
  if (!mask) return scan.wrong(*halves.after, "not a mask of " + std::string(f.name));
  const ValueMask out = masked(*value, *mask, full);
  if (out.mask != full && out.mask != FieldValue{} && !f.is_maskable) {
    return scan.wrong(word, std::string(f.name) + " takes no mask");
  }
  return out;
}

}  // namespace hoist::text
