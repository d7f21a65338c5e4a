// SPDX-License-Identifier: BSD-3-Clause
#include <array>

#include "openflow/codec.hpp"

namespace hoist::openflow {
namespace {

constexpr std::array<std::string_view, 35> kNames = {"OFPT_HELLO",
                                                     "OFPT_ERROR",
                                                     "OFPT_ECHO_REQUEST",
                                                     "OFPT_ECHO_REPLY",
                                                     "OFPT_EXPERIMENTER",
                                                     "OFPT_FEATURES_REQUEST",
                                                     "OFPT_FEATURES_REPLY",
                                                     "OFPT_GET_CONFIG_REQUEST",
                                                     "OFPT_GET_CONFIG_REPLY",
                                                     "OFPT_SET_CONFIG",
                                                     "OFPT_PACKET_IN",
                                                     "OFPT_FLOW_REMOVED",
                                                     "OFPT_PORT_STATUS",
                                                     "OFPT_PACKET_OUT",
                                                     "OFPT_FLOW_MOD",
                                                     "OFPT_GROUP_MOD",
                                                     "OFPT_PORT_MOD",
                                                     "OFPT_TABLE_MOD",
                                                     "OFPT_MULTIPART_REQUEST",
                                                     "OFPT_MULTIPART_REPLY",
                                                     "OFPT_BARRIER_REQUEST",
                                                     "OFPT_BARRIER_REPLY",
                                                     "OFPT_QUEUE_GET_CONFIG_REQUEST",
                                                     "OFPT_QUEUE_GET_CONFIG_REPLY",
                                                     "OFPT_ROLE_REQUEST",
                                                     "OFPT_ROLE_REPLY",
                                                     "OFPT_GET_ASYNC_REQUEST",
                                                     "OFPT_GET_ASYNC_REPLY",
                                                     "OFPT_SET_ASYNC",
                                                     "OFPT_METER_MOD",
                                                     "OFPT_ROLE_STATUS",
                                                     "OFPT_TABLE_STATUS",
                                                     "OFPT_REQUESTFORWARD",
                                                     "OFPT_BUNDLE_CONTROL",
                                                     "OFPT_BUNDLE_ADD_MESSAGE"};

constexpr std::array<std::string_view, 7> kOf10Names = {"OFPT_PORT_MOD",
                                                        "OFPT_STATS_REQUEST",
                                                        "OFPT_STATS_REPLY",
                                                        "OFPT_BARRIER_REQUEST",
                                                        "OFPT_BARRIER_REPLY",
                                                        "OFPT_QUEUE_GET_CONFIG_REQUEST",
                                                        "OFPT_QUEUE_GET_CONFIG_REPLY"};
constexpr std::uint8_t kFirstOf10Name = 15;

}  // namespace

std::string_view type_name(const Header& header) noexcept {
  if (header.version == 1 && header.type >= kFirstOf10Name) {
    const unsigned i = header.type - kFirstOf10Name;
    return i < kOf10Names.size() ? kOf10Names[i] : "unknown";
  }
  return header.type < kNames.size() ? kNames[header.type] : "unknown";
}

}  // namespace hoist::openflow
