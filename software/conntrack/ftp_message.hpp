// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace hoist::software {

/// What one end of an FTP session says about where it waits for a data connection.
///
///     PORT 10,0,0,1,4,1                                     RFC 959, 4.1.2
///     227 Entering Passive Mode (10,0,0,2,4,1)              RFC 959, 4.2
///     EPRT |2|fd00::1|1025|                                 RFC 2428, 2
///     229 Entering Extended Passive Mode (|||1025|)         RFC 2428, 3
struct FtpMessage {
  enum class Kind : std::uint8_t { kPort, kPassive, kExtendedPort, kExtendedPassive };
  Kind kind;
  std::uint8_t family;  ///< Of the address: 4 or 6; 0: it names none.
  std::uint16_t port;   ///< Host order, not 0.
  std::array<std::uint8_t, 16> address;
  std::uint16_t address_offset;  ///< Of the address's text in the payload.
  std::uint16_t address_size;

  /// Says whether it is the server that says so.
  [[nodiscard]] bool is_reply() const noexcept {
    return kind == Kind::kPassive || kind == Kind::kExtendedPassive;
  }
};

/// Reads the message at the beginning of a segment's payload. Nothing: it is another one, not
/// wholly in this segment, or wrong.
[[nodiscard]] std::optional<FtpMessage> read_ftp_message(std::string_view payload) noexcept;

/// An address as messages of this kind spell it.
class FtpAddress {
 public:
  FtpAddress(FtpMessage::Kind kind, std::uint8_t family,
             const std::array<std::uint8_t, 16>& address) noexcept;
  [[nodiscard]] std::string_view text() const noexcept { return {text_.data(), size_}; }

 private:
  std::array<char, 46> text_;  // INET6_ADDRSTRLEN
  std::size_t size_ = 0;
};

}  // namespace hoist::software
