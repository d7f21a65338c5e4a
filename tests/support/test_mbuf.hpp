// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <rte_mbuf.h>

#include <algorithm>
#include <cstdint>
#include <memory>

#include "support/packet_builder.hpp"

namespace hoist::test {

/// A frame in an rte_mbuf that needs no EAL and no pool. Its heap buffer is exactly headroom +
/// frame bytes, so that a sanitizer sees the first byte touched too far. Never to be freed through
/// DPDK.
class TestMbuf {
 public:
  /// The first segment holds the first `readable` bytes; the length is the frame's.
  TestMbuf(const Bytes& frame, std::size_t readable, std::uint16_t headroom = 16)
      : buffer_(std::make_unique<std::uint8_t[]>(headroom + readable)) {
    std::copy_n(frame.begin(), readable, buffer_.get() + headroom);
    mbuf_.buf_addr = buffer_.get();
    mbuf_.buf_len = static_cast<std::uint16_t>(headroom + readable);
    mbuf_.data_off = headroom;
    mbuf_.data_len = static_cast<std::uint16_t>(readable);
    mbuf_.pkt_len = static_cast<std::uint32_t>(frame.size());
    mbuf_.nb_segs = 1;
    rte_mbuf_refcnt_set(&mbuf_, 1);
  }
  explicit TestMbuf(const Bytes& frame) : TestMbuf(frame, frame.size()) {}
  TestMbuf(const TestMbuf&) = delete;
  TestMbuf& operator=(const TestMbuf&) = delete;

  rte_mbuf& operator*() noexcept { return mbuf_; }
  /// What the first segment holds now.
  [[nodiscard]] Bytes bytes() const {
    const auto* data = rte_pktmbuf_mtod(&mbuf_, const std::uint8_t*);
    return Bytes(data, data + mbuf_.data_len);
  }

 private:
  std::unique_ptr<std::uint8_t[]> buffer_;
  std::unique_ptr<rte_mbuf> owned_ = std::make_unique<rte_mbuf>();
  rte_mbuf& mbuf_ = *owned_;
};

}  // namespace hoist::test
