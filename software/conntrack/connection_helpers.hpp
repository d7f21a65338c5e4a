// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <mutex>

#include "conntrack/expectation_table.hpp"
#include "conntrack/sequence_shift.hpp"

namespace hoist::software {

/// Who reads a connection's payloads for the connections that they announce.
enum class Helper : std::uint8_t { kNone, kFtp, kTftp };

/// What a helper remembers of a connection.
struct HelperRecord {
  Helper helper;
  std::array<SequenceShift, 2> shifts;  ///< Of the opening direction, and of replies.
  ExpectationTable::Own expected;       ///< Under the table's lock.
  std::uint32_t next_free;              ///< Number. Under the pool's lock.
};

/// The helpers of all connections that have one, and what they expect. Any thread.
///
/// A record belongs to one connection from its commit to its end. `shifts` is guarded by that
/// connection's lock.
class ConnectionHelpers {
 public:
  static constexpr std::uint32_t kCapacity = 1u << 16;

  /// Fails with kFull.
  static Result<ConnectionHelpers> create(std::uint64_t seed) {
    ConnectionHelpers helpers;
    auto memory = ReservedMemory::create(kCapacity * sizeof(HelperRecord));
    if (!memory) return tl::unexpected(memory.error());
    auto expectations = ExpectationTable::create(seed);
    if (!expectations) return tl::unexpected(expectations.error());
    helpers.memory_ = std::move(*memory);
    helpers.expectations_ = std::move(*expectations);
    return helpers;
  }
  ConnectionHelpers() = default;
  ConnectionHelpers(ConnectionHelpers&& other) noexcept { *this = std::move(other); }
  ConnectionHelpers& operator=(ConnectionHelpers&& other) noexcept {
    memory_ = std::move(other.memory_);
    expectations_ = std::move(other.expectations_);
    return *this;
  }

  /// The number of a new record; 0: there are no more.
  [[nodiscard]] std::uint32_t take(Helper helper) noexcept {
    const std::lock_guard guard(lock_);
    std::uint32_t number = first_free_;
    if (number != 0) {
      first_free_ = at(number).next_free;
    } else if (taken_ < kCapacity) {
      number = ++taken_;
    } else {
      return 0;
    }
    at(number) = {.helper = helper, .shifts = {}, .expected = {}, .next_free = 0};
    return number;
  }
  /// Ends a record, and with it what it expects.
  void give_back(std::uint32_t number) noexcept {
    expectations_.forget(at(number).expected);
    const std::lock_guard guard(lock_);
    at(number).next_free = first_free_;
    first_free_ = number;
  }
  [[nodiscard]] HelperRecord& at(std::uint32_t number) const noexcept {
    return memory_.as<HelperRecord>()[number - 1];
  }
  [[nodiscard]] ExpectationTable& expectations() noexcept { return expectations_; }

 private:
  ReservedMemory memory_;
  ExpectationTable expectations_;
  std::uint32_t taken_ = 0;
  std::uint32_t first_free_ = 0;
  SpinLock lock_{};
};

}  // namespace hoist::software
