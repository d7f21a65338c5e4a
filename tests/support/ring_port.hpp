// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "support/packet_builder.hpp"

struct rte_mempool;
struct rte_ring;

namespace hoist::test {

/// An ethdev whose wire is in the test's hands: a net_ring device. EAL must be up. To be destroyed
/// after whatever uses the device.
class RingPort {
 public:
  /// `name` must be unique in the process. `pool` gives the buffers that arrive.
  RingPort(const std::string& name, rte_mempool& pool);
  ~RingPort();
  RingPort(const RingPort&) = delete;
  RingPort& operator=(const RingPort&) = delete;

  /// What PortConfig::devargs should say.
  [[nodiscard]] const std::string& devargs() const { return device_name_; }

  /// Puts a frame where the switch will receive it. False: no buffer or no room.
  [[nodiscard]] bool inject(const Bytes& frame);
  /// Takes all that the switch has sent.
  [[nodiscard]] std::vector<Bytes> drain();

 private:
  rte_mempool& pool_;
  std::string device_name_;
  rte_ring* to_switch_;
  rte_ring* from_switch_;
};

/// Buffers for frames, with a count of those in use.
class FramePool {
 public:
  explicit FramePool(const std::string& name, unsigned count = 4095);
  ~FramePool();
  FramePool(const FramePool&) = delete;
  FramePool& operator=(const FramePool&) = delete;

  [[nodiscard]] rte_mempool& pool() { return *pool_; }
  [[nodiscard]] unsigned in_use() const;

 private:
  rte_mempool* pool_;
};

}  // namespace hoist::test
