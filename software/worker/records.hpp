// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "hoist/flow_key.hpp"
#include "hoist/types.hpp"

namespace hoist::software {

// What workers and control send each other through a MessageRing. Each starts with its kind.

enum class RecordKind : std::uint8_t { kPacketIn, kLearn };

/// Followed by userdata_size bytes and frame_size bytes.
struct PacketInRecord {
  RecordKind kind = RecordKind::kPacketIn;
  std::uint8_t bridge;
  std::uint8_t reason;
  std::uint8_t table_id;
  std::uint32_t rule;
  std::uint16_t controller_id;
  std::uint16_t max_len;
  std::uint32_t userdata_size;
  std::uint32_t frame_size;
  std::uint32_t pad = 0;
  FlowKey key;
};

/// A source address that NORMAL has seen on another port than the MAC table says.
struct LearnRecord {
  RecordKind kind = RecordKind::kLearn;
  std::uint8_t bridge;
  std::uint16_t vlan;
  PortNo port;
  MacAddress mac;
};

/// Followed by a Program of program_size bytes and frame_size bytes.
struct PacketOutRecord {
  std::uint32_t program_size;
  std::uint32_t frame_size;
  PortNo in_port;
  std::uint8_t bridge;
  std::uint8_t pad[3]{};
};
static_assert(sizeof(PacketOutRecord) % 8 == 0, "the program behind it must be aligned");

}  // namespace hoist::software
