// SPDX-License-Identifier: BSD-3-Clause
#include "conntrack/ftp_message.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <cstring>

namespace hoist::software {
namespace {

using Kind = FtpMessage::Kind;

constexpr std::size_t kLongest = 128;  // Open vSwitch's: what is further on is not looked at.

bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
char upper(char c) noexcept { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

/// What is left of a message.
class Scan {
 public:
  explicit Scan(std::string_view text) noexcept : text_(text) {}

  [[nodiscard]] std::size_t at() const noexcept { return at_; }
  [[nodiscard]] std::string_view rest() const noexcept { return text_.substr(at_); }
  void skip_to(std::size_t at) noexcept { at_ = std::min(at, text_.size()); }

  [[nodiscard]] bool take(char c) noexcept {
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  [[nodiscard]] bool take_word(std::string_view word) noexcept {
    const std::string_view have = rest().substr(0, word.size());
    const bool is_there = std::ranges::equal(have, word, {}, upper);
    if (is_there) at_ += word.size();
    return is_there;
  }
  /// Goes on to the first digit.
  void find_digit() noexcept {
    while (at_ < text_.size() && !is_digit(text_[at_])) ++at_;
  }
  /// A decimal number up to `most`, with something behind it: else it may go on in the next
  /// segment.
  [[nodiscard]] bool take_number(std::uint32_t most, std::uint32_t& out) noexcept {
    const std::size_t first = at_;
    out = 0;
    while (at_ < text_.size() && is_digit(text_[at_])) {
      out = out * 10 + static_cast<std::uint32_t>(text_[at_++] - '0');
      if (out > most) return false;
    }
    return at_ != first && at_ != text_.size();
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

/// h1,h2,h3,h4,p1,p2
bool read_host_port(Scan& scan, FtpMessage& out) noexcept {
  out.family = 4;
  out.address_offset = static_cast<std::uint16_t>(scan.at());
  std::uint32_t number;
  for (std::size_t i = 0; i < 4; ++i) {
    if (i != 0 && !scan.take(',')) return false;
    if (!scan.take_number(255, number)) return false;
    out.address[i] = static_cast<std::uint8_t>(number);
  }
  out.address_size = static_cast<std::uint16_t>(scan.at() - out.address_offset);
  std::uint32_t high, low;
  if (!scan.take(',') || !scan.take_number(255, high)) return false;
  if (!scan.take(',') || !scan.take_number(255, low)) return false;
  out.port = static_cast<std::uint16_t>(high << 8 | low);
  return true;
}

bool read_port(Scan& scan, std::uint16_t& out) noexcept {
  std::uint32_t port;
  if (!scan.take_number(65535, port)) return false;
  out = static_cast<std::uint16_t>(port);
  return true;
}

bool read_address(std::string_view text, std::uint8_t family, FtpMessage& out) noexcept {
  std::array<char, INET6_ADDRSTRLEN> name{};
  if (text.size() >= name.size()) return false;
  std::ranges::copy(text, name.begin());
  return inet_pton(family == 4 ? AF_INET : AF_INET6, name.data(), out.address.data()) == 1;
}

/// <d>family<d>address<d>port<d>
bool read_extended_port(Scan& scan, FtpMessage& out) noexcept {
  if (scan.rest().empty()) return false;
  const char delimiter = scan.rest().front();
  if (is_digit(delimiter) || !scan.take(delimiter)) return false;
  std::uint32_t family;
  if (!scan.take_number(2, family) || family == 0 || !scan.take(delimiter)) return false;
  out.family = family == 1 ? 4 : 6;
  const std::size_t size = scan.rest().find(delimiter);
  if (size == std::string_view::npos) return false;
  if (!read_address(scan.rest().substr(0, size), out.family, out)) return false;
  out.address_offset = static_cast<std::uint16_t>(scan.at());
  out.address_size = static_cast<std::uint16_t>(size);
  scan.skip_to(scan.at() + size + 1);
  return read_port(scan, out.port) && scan.take(delimiter);
}

/// text (<d><d><d>port<d>)
bool read_extended_passive(Scan& scan, FtpMessage& out) noexcept {
  const std::size_t open = scan.rest().find('(');
  if (open == std::string_view::npos) return false;
  scan.skip_to(scan.at() + open + 1);
  if (scan.rest().empty()) return false;
  const char delimiter = scan.rest().front();
  for (int i = 0; i < 3; ++i) {
    if (is_digit(delimiter) || !scan.take(delimiter)) return false;
  }
  return read_port(scan, out.port) && scan.take(delimiter);
}

bool read(Scan& scan, FtpMessage& out) noexcept {
  if (scan.take_word("PORT ")) {
    out.kind = Kind::kPort;
    scan.find_digit();
    return read_host_port(scan, out);
  }
  if (scan.take_word("227 ")) {
    out.kind = Kind::kPassive;
    scan.find_digit();
    return read_host_port(scan, out);
  }
  if (scan.take_word("EPRT ")) {
    out.kind = Kind::kExtendedPort;
    return read_extended_port(scan, out);
  }
  out.kind = Kind::kExtendedPassive;
  return scan.take_word("229 ") && read_extended_passive(scan, out);
}

}  // namespace

std::optional<FtpMessage> read_ftp_message(std::string_view payload) noexcept {
  Scan scan(payload.substr(0, kLongest));
  FtpMessage out{};
  if (!read(scan, out) || out.port == 0) return std::nullopt;
  return out;
}

FtpAddress::FtpAddress(Kind kind, std::uint8_t family,
                       const std::array<std::uint8_t, 16>& address) noexcept {
  inet_ntop(family == 4 ? AF_INET : AF_INET6, address.data(), text_.data(),
            static_cast<socklen_t>(text_.size()));
  size_ = std::strlen(text_.data());
  const bool has_commas = kind == Kind::kPort || kind == Kind::kPassive;
  if (has_commas) std::replace(text_.begin(), text_.begin() + size_, '.', ',');
}

}  // namespace hoist::software
