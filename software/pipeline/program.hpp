// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "hoist/error.hpp"
#include "hoist/instructions.hpp"
#include "meter/meter_store.hpp"
#include "pipeline/op.hpp"

namespace hoist::software {

/// A rule's instructions, compiled: one block of memory, ops and then data words, without pointers,
/// so that it can be compared, hashed and copied as bytes. Immutable; rules with equal instructions
/// share it.
struct Program {
  std::uint64_t
      serial;  ///< Given by ProgramStore, never twice; 0: in no store. No part of what it does.
  std::uint32_t uses;  ///< Rules that have it from ProgramStore; likewise no part.
  std::uint32_t op_count;
  std::uint32_t data_count;  ///< 64-bit words.
  bool is_table_miss;        ///< Of a rule with priority 0 that matches all (OpenFlow 1.3, 5.4).
  std::uint8_t pad[3];

  [[nodiscard]] std::span<const Op> ops() const noexcept {
    return {reinterpret_cast<const Op*>(this + 1), op_count};
  }
  [[nodiscard]] const std::uint64_t* data() const noexcept {
    return reinterpret_cast<const std::uint64_t*>(reinterpret_cast<const Op*>(this + 1) + op_count);
  }
  [[nodiscard]] std::size_t size() const noexcept {
    return sizeof *this + op_count * sizeof(Op) + data_count * sizeof(std::uint64_t);
  }
};
static_assert(sizeof(Program) == 24);

struct FreeProgram {
  void operator()(Program* p) const noexcept { ::operator delete(p); }
};
using ProgramPtr = std::unique_ptr<Program, FreeProgram>;

/// kController's reason for an output to CONTROLLER: OFPR_NO_MATCH in a table-miss rule, else
/// OFPR_ACTION.
inline constexpr std::uint8_t kReasonOfOutput = 0xff;

/// Says whether compile() has code for all of it. Fails with kUnsupported.
[[nodiscard]] Result<void> check_instructions(const Instructions& instructions);

/// Control thread. Instructions that check_instructions() refuses and meters that are not in
/// `meters` are left out.
[[nodiscard]] ProgramPtr compile(const Instructions& instructions, bool is_table_miss,
                                 const MeterTable& meters);

}  // namespace hoist::software
