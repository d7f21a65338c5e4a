// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "conntrack/track_request.hpp"
#include "hoist/action.hpp"
#include "hoist/flow_key.hpp"

namespace hoist::software {

/// What kTrack's data holds in a program, followed by exec_count TrackExecs.
struct TrackCode {
  TrackRequest request;  ///< But for what zone and exec say of the packet at hand.
  std::uint8_t table_id;
  bool has_table;
  bool has_zone_field;
  std::uint8_t zone_field;
  std::uint8_t zone_start;
  std::uint8_t pad = 0;
  std::uint16_t exec_count;
};
static_assert(sizeof(TrackCode) == 96);

/// Sets bits of ct_mark or ct_label, or copies them from another field.
struct TrackExec {
  std::uint8_t target;
  std::uint8_t source;
  bool is_move;
  std::uint8_t pad = 0;
  std::uint32_t bits;  ///< PackedBits of a move.
  FieldValue value;
  FieldValue mask;
};
static_assert(sizeof(TrackExec) == 40);

/// What kTrack's data holds in a segment, followed by the words of pipeline state that are not zero
/// (bit i of state_map: word kPacketWords + i), then stack_count FieldValues. Only a request with a
/// table has any.
struct TrackBranch {
  TrackRequest request;
  std::uint32_t in_port;
  std::uint8_t table_id;
  bool has_table;
  std::uint16_t stack_count;
  std::uint64_t state_map;
};
static_assert(sizeof(TrackBranch) == 104 && std::has_unique_object_representations_v<TrackBranch>);

/// CtAction::alg of the helpers that there are: the ports of their protocols.
inline constexpr std::uint16_t kAlgFtp = 21, kAlgTftp = 69;

/// Appends an action's TrackCode and TrackExecs.
void compile_track(const CtAction& action, std::vector<std::uint64_t>& data);

/// Works out an action's request for a packet with this key.
[[nodiscard]] TrackRequest resolve_track(const std::uint64_t* data, const FlowKey& key) noexcept;

/// Makes a key that of an untracked packet.
void clear_tracked(FlowKey& key) noexcept;
/// Writes what tracking has found into the key's ct fields.
void write_tracked(const PacketTrack& track, FlowKey& key) noexcept;
/// Writes a branch's pipeline state into a parsed packet's key; returns its stack.
std::span<const FieldValue> restore_state(const std::uint64_t* data, FlowKey& key) noexcept;

}  // namespace hoist::software
