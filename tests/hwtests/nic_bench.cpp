// SPDX-License-Identifier: BSD-3-Clause
#include "nic_bench.hpp"

#include <rte_errno.h>
#include <rte_eth_ring.h>
#include <rte_ethdev.h>
#include <rte_mempool.h>
#include <rte_ring.h>

#include <algorithm>
#include <array>
#include <cstdio>

#include "emulated_nic/control.h"
#include "support/eal.hpp"

namespace emulated_nic::test {
namespace {

struct Cable {
  rte_ring* to_port[2];
  rte_ring* from_port[2];
};

/// What outlives the tests: EAL, buffers, cables.
struct Bench {
  rte_mempool* pool = nullptr;
  std::array<Cable, 3> cables{};
  bool is_started[3] = {};
};

Bench& bench() {
  static Bench bench;
  return bench;
}

rte_ring* make_ring(const char* kind, unsigned port, unsigned queue) {
  char name[32];
  std::snprintf(name, sizeof name, "%s_%u_%u", kind, port, queue);
  return rte_ring_create(name, 1024, 0, 0);
}

void make_ports() {
  for (unsigned port = 0; port < 3; ++port) {
    Cable& cable = bench().cables[port];
    for (unsigned queue = 0; queue < 2; ++queue) {
      cable.to_port[queue] = make_ring("in", port, queue);
      cable.from_port[queue] = make_ring("out", port, queue);
    }
    char name[16];
    std::snprintf(name, sizeof name, "ring%u", port);
    ASSERT_EQ(rte_eth_from_rings(name, cable.to_port, 2, cable.from_port, 2, 0),
              static_cast<int>(port));
  }
}

rte_mbuf* mbuf_of(const Bytes& frame) {
  rte_mbuf* mbuf = rte_pktmbuf_alloc(bench().pool);
  if (mbuf == nullptr) return nullptr;
  char* data = rte_pktmbuf_append(mbuf, static_cast<std::uint16_t>(frame.size()));
  std::copy(frame.begin(), frame.end(), reinterpret_cast<std::uint8_t*>(data));
  return mbuf;
}

Bytes take_bytes(rte_mbuf* mbuf) {
  Bytes bytes;
  for (const rte_mbuf* segment = mbuf; segment != nullptr; segment = segment->next) {
    const auto* data = rte_pktmbuf_mtod(segment, const std::uint8_t*);
    bytes.insert(bytes.end(), data, data + segment->data_len);
  }
  rte_pktmbuf_free(mbuf);
  return bytes;
}

}  // namespace

void NicBench::SetUpTestSuite() {
  if (bench().pool != nullptr) return;
  hoist::test::start_eal();
  rte_flow_dynf_metadata_register();
  bench().pool = rte_pktmbuf_pool_create("bench", 4095, 0, 0, RTE_MBUF_DEFAULT_BUF_SIZE, 0);
  ASSERT_NE(bench().pool, nullptr);
  make_ports();
}

void NicBench::SetUp() { use("connectx"); }

void NicBench::TearDown() {
  for (std::uint16_t port = 0; port < kPorts; ++port) {
    for (std::uint16_t queue = 0; queue < kQueues; ++queue) receive(port, queue);
    sent(port);
    stop(port);
  }
  EXPECT_EQ(rte_mempool_in_use_count(bench().pool), 0u) << "packets were lost or kept";
}

void NicBench::use(const std::string& profile) {
  for (std::uint16_t port = 0; port < kPorts; ++port) stop(port);
  if (profile.find('\n') != std::string::npos) {
    ASSERT_EQ(emulated_nic_set_profile(profile.c_str()), 0);
  } else {
    ASSERT_EQ(emulated_nic_load_profile((EMULATED_NIC_PROFILES "/" + profile + ".toml").c_str()),
              0);
  }
  for (std::uint16_t port = 0; port < kPorts; ++port) start(port);
}

void NicBench::start(std::uint16_t port) {
  if (bench().is_started[port]) return;
  const rte_eth_conf conf{};
  ASSERT_EQ(rte_eth_dev_configure(port, kQueues, kQueues, &conf), 0);
  for (std::uint16_t queue = 0; queue < kQueues; ++queue) {
    ASSERT_EQ(rte_eth_rx_queue_setup(port, queue, 64, 0, nullptr, bench().pool), 0);
    ASSERT_EQ(rte_eth_tx_queue_setup(port, queue, 64, 0, nullptr), 0);
  }
  ASSERT_EQ(rte_eth_dev_start(port), 0);
  bench().is_started[port] = true;
}

void NicBench::stop(std::uint16_t port) {
  if (!bench().is_started[port]) return;
  ASSERT_EQ(rte_eth_dev_stop(port), 0);
  bench().is_started[port] = false;
}

void NicBench::wire(std::uint16_t port, const Bytes& frame, std::uint16_t queue) {
  rte_mbuf* mbuf = mbuf_of(frame);
  ASSERT_NE(mbuf, nullptr);
  ASSERT_EQ(rte_ring_enqueue(bench().cables[port].to_port[queue], mbuf), 0);
}

std::vector<Received> NicBench::receive(std::uint16_t port, std::uint16_t queue) {
  std::vector<Received> packets;
  if (!bench().is_started[port]) return packets;
  rte_mbuf* mbufs[32];
  // The second time for what the NIC had to fetch from elsewhere.
  for (int i = 0; i < 2; ++i) {
    const std::uint16_t count = rte_eth_rx_burst(port, queue, mbufs, 32);
    for (std::uint16_t j = 0; j < count; ++j) {
      Received packet{.port = mbufs[j]->port};
      const std::uint64_t flags = mbufs[j]->ol_flags;
      packet.is_flagged = (flags & RTE_MBUF_F_RX_FDIR) != 0;
      if ((flags & RTE_MBUF_F_RX_FDIR_ID) != 0) packet.mark = mbufs[j]->hash.fdir.hi;
      if ((flags & RTE_MBUF_DYNFLAG_RX_METADATA) != 0) {
        packet.meta = rte_flow_dynf_metadata_get(mbufs[j]);
      }
      packet.bytes = take_bytes(mbufs[j]);
      packets.push_back(std::move(packet));
    }
  }
  return packets;
}

std::vector<Bytes> NicBench::sent(std::uint16_t port) {
  std::vector<Bytes> frames;
  for (rte_ring* ring : bench().cables[port].from_port) {
    void* mbuf;
    while (rte_ring_dequeue(ring, &mbuf) == 0) {
      frames.push_back(take_bytes(static_cast<rte_mbuf*>(mbuf)));
    }
  }
  return frames;
}

void NicBench::transmit(std::uint16_t port, const Bytes& frame) {
  rte_mbuf* mbuf = mbuf_of(frame);
  ASSERT_EQ(rte_eth_tx_burst(port, 0, &mbuf, 1), 1);
}

rte_flow* NicBench::install(const Flow& flow, std::uint16_t port) {
  rte_flow_error error{};
  EXPECT_EQ(flow.validate(port, error), 0) << error.message;
  rte_flow* created = flow.create(port, error);
  EXPECT_NE(created, nullptr) << (error.message == nullptr ? "" : error.message);
  return created;
}

rte_flow_error NicBench::refusal(const Flow& flow, std::uint16_t port) {
  rte_flow_error error{};
  EXPECT_EQ(flow.create(port, error), nullptr);
  EXPECT_NE(error.message, nullptr);
  const int code = rte_errno;
  rte_flow_error again{};
  EXPECT_EQ(flow.validate(port, again), -code);
  return error;
}

rte_flow_query_count NicBench::hits(rte_flow* flow, std::uint16_t port, bool reset) {
  const rte_flow_action count[] = {{.type = RTE_FLOW_ACTION_TYPE_COUNT},
                                   {.type = RTE_FLOW_ACTION_TYPE_END}};
  rte_flow_query_count result{};
  result.reset = reset ? 1 : 0;
  rte_flow_error error{};
  EXPECT_EQ(rte_flow_query(port, flow, count, &result, &error), 0) << error.message;
  return result;
}

std::uint64_t NicBench::book(const char* name) { return emulated_nic_book(name); }

}  // namespace emulated_nic::test
