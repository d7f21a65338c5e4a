// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>
#include <rte_mbuf.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "flow_builder.hpp"
#include "support/packet_builder.hpp"

namespace emulated_nic::test {

using hoist::test::Bytes;

/// A packet as the application received it.
struct Received {
  Bytes bytes;
  std::optional<std::uint32_t> mark;
  std::optional<std::uint32_t> meta;
  bool is_flagged = false;
  std::uint16_t port = 0;
};

/// An emulated NIC with three net_ring ports of two queues each. The rings are the cables: wire()
/// puts a frame on one, sent() takes off what a port has transmitted.
class NicBench : public testing::Test {
 protected:
  static constexpr std::uint16_t kPorts = 3;
  static constexpr std::uint16_t kQueues = 2;

  static void SetUpTestSuite();
  void SetUp() override;
  void TearDown() override;

  /// Stops the ports, loads the profile (a file of profiles/, or TOML text), starts them again.
  void use(const std::string& profile);
  void start(std::uint16_t port);
  void stop(std::uint16_t port);

  /// A frame arrives at the port's receive queue.
  void wire(std::uint16_t port, const Bytes& frame, std::uint16_t queue = 0);
  std::vector<Received> receive(std::uint16_t port, std::uint16_t queue = 0);
  /// Frames that the port has transmitted, on all its queues.
  std::vector<Bytes> sent(std::uint16_t port);
  /// The application transmits.
  void transmit(std::uint16_t port, const Bytes& frame);

  /// wire() and receive() in one: what software sees of the frame.
  std::vector<Received> pass(std::uint16_t port, const Bytes& frame) {
    wire(port, frame);
    return receive(port);
  }

  /// Creates the rule, or fails the test with the NIC's reason.
  static rte_flow* install(const Flow& flow, std::uint16_t port = 0);
  /// The NIC's refusal of the rule; fails the test if it takes it.
  static rte_flow_error refusal(const Flow& flow, std::uint16_t port = 0);
  static rte_flow_query_count hits(rte_flow* flow, std::uint16_t port = 0, bool reset = false);
  static std::uint64_t book(const char* name);
};

}  // namespace emulated_nic::test
