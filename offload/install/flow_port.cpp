// SPDX-License-Identifier: BSD-3-Clause
#include "install/flow_port.hpp"

#include <rte_errno.h>
#include <rte_ethdev.h>
#include <rte_flow.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include "install/rte_form.hpp"

namespace hoist::offload {
namespace {

constexpr std::array<const char*, RTE_FLOW_ERROR_TYPE_STATE + 1> kErrorTypes = {
    "none",      "unspecified", "handle",       "group",
    "priority",  "ingress",     "egress",       "transfer",
    "attribute", "item count",  "item spec",    "item range",
    "item mask", "item",        "action count", "action configuration",
    "action",    "device state"};

constexpr std::array kCount = {rte_flow_action{.type = RTE_FLOW_ACTION_TYPE_COUNT, .conf = nullptr},
                               rte_flow_action{.type = RTE_FLOW_ACTION_TYPE_END, .conf = nullptr}};

/// Copies DPDK's words at once: its pointers live no longer than the port.
FlowFailure failure_of(int code, const rte_flow_error& error) {
  FlowFailure out;
  out.is_full = code == ENOSPC || code == ENOMEM;
  switch (code) {
    case EINVAL:
    case ENOTSUP:
    case ENOSYS:
    case ERANGE:
    case EPERM:
    case E2BIG:
      break;
    default:
      out.is_transient = !out.is_full;
      break;
  }
  const auto type = static_cast<std::size_t>(error.type);
  std::string text = out.is_full ? "the NIC has no more room: " : "the NIC said: ";
  if (type < kErrorTypes.size() && type > 1) text += std::string(kErrorTypes[type]) + ": ";
  text += error.message != nullptr ? error.message : rte_strerror(code);
  out.why = {out.is_full ? Refusal::kTableFull : Refusal::kNicRejected, text};
  return out;
}

int code_of(int result) { return result < 0 ? -result : result; }

}  // namespace

bool FlowPort::is_there() const noexcept {
  return rte_eth_dev_is_valid_port(to_integer(ethdev_)) != 0;
}

FlowResult<void> FlowPort::validate(const HwRule& rule) const {
  const RteForm form(rule, queues_);
  rte_flow_error error{};
  const int result = rte_flow_validate(to_integer(ethdev_), form.attributes(), form.items(),
                                       form.actions(), &error);
  if (result == 0) return {};
  return tl::unexpected(failure_of(code_of(result), error));
}

FlowResult<FlowHandle> FlowPort::create(const HwRule& rule) const {
  const RteForm form(rule, queues_);
  rte_flow_error error{};
  rte_flow* flow =
      rte_flow_create(to_integer(ethdev_), form.attributes(), form.items(), form.actions(), &error);
  if (flow == nullptr) return tl::unexpected(failure_of(rte_errno, error));
  return FlowHandle{.flow = flow, .counts = rule.counts};
}

FlowResult<void> FlowPort::destroy(FlowHandle& handle) const {
  rte_flow_error error{};
  const int result = rte_flow_destroy(to_integer(ethdev_), handle.flow, &error);
  if (result != 0) return tl::unexpected(failure_of(code_of(result), error));
  handle = {};
  return {};
}

FlowResult<bool> FlowPort::is_unknown(const FlowHandle& handle) const {
  rte_flow_error error{};
  int result = 0;
  if (handle.counts) {
    rte_flow_query_count count{};
    result = rte_flow_query(to_integer(ethdev_), handle.flow, kCount.data(), &count, &error);
  } else {
    // Without a counter there is nothing to query; a dump reads the rule too, where drivers have
    // it.
    char* text = nullptr;
    std::size_t size = 0;
    FILE* const file = ::open_memstream(&text, &size);
    if (file == nullptr) return true;
    result = rte_flow_dev_dump(to_integer(ethdev_), handle.flow, file, &error);
    std::fclose(file);
    std::free(text);
  }
  const int code = code_of(result);
  if (code == ENOSYS || code == ENOTSUP) return true;
  if (code != 0) return tl::unexpected(failure_of(code, error));
  return false;
}

TrafficCount FlowPort::read(FlowHandle& handle) const {
  if (!handle.counts) return {};
  rte_flow_query_count count{};
  rte_flow_error error{};
  if (rte_flow_query(to_integer(ethdev_), handle.flow, kCount.data(), &count, &error) != 0)
    return {};
  TrafficCount gained;
  if (count.hits_set != 0 && count.hits > handle.read.packets) {
    gained.packets = count.hits - handle.read.packets;
    handle.read.packets = count.hits;
  }
  if (count.bytes_set != 0 && count.bytes > handle.read.bytes) {
    gained.bytes = count.bytes - handle.read.bytes;
    handle.read.bytes = count.bytes;
  }
  return gained;
}

}  // namespace hoist::offload
