// SPDX-License-Identifier: BSD-3-Clause
#include "daemon/pmd_text.hpp"

#include <gtest/gtest.h>

namespace hoist::ctl {
namespace {

WorkerReport busy_worker() {
  WorkerReport worker{.core = 3, .numa = 1, .is_isolated = true, .measured_ms = 2000};
  worker.counts = {.idle_turns = 100,
                   .busy_turns = 300,
                   .idle_cycles = 1000,
                   .busy_cycles = 3000,
                   .received = 60,
                   .marked = 1,
                   .unlooked = 2,
                   .walked = 3,
                   .sent = 40,
                   .sent_batches = 10,
                   .stage_cycles = {600, 900, 300, 600, 600}};
  worker.queues = {
      {.port = "p1", .queue = 0, .is_pinned = true, .packets = 60, .usage_percent = 7},
      {.port = "p1", .queue = 1, .is_pinned = false, .packets = 0, .usage_percent = {}}};
  worker.overhead_percent = 2;
  return worker;
}

// What Open vSwitch 3.1 would print of the same numbers.
TEST(PmdTextTest, StatsAreOpenVSwitchs) {
  EXPECT_EQ(format_pmd_stats(std::vector{busy_worker()}, true),
            "pmd thread numa_id 1 core_id 3:\n"
            "  packets received: 60\n"
            "  packet recirculations: 0\n"
            "  avg. datapath passes per packet: 1.00\n"
            "  phwol hits: 1\n"
            "  mfex opt hits: 0\n"
            "  simple match hits: 2\n"
            "  emc hits: 54\n"
            "  smc hits: 0\n"
            "  megaflow hits: 3\n"
            "  avg. subtable lookups per megaflow hit: 1.00\n"
            "  miss with success upcall: 0\n"
            "  miss with failed upcall: 0\n"
            "  avg. packets per output batch: 4.00\n"
            "  idle cycles: 1000 (25.00%)\n"
            "  processing cycles: 3000 (75.00%)\n"
            "  avg cycles per packet: 66.67 (4000/60)\n"
            "  avg processing cycles per packet: 50.00 (3000/60)\n"
            "main thread:\n"
            "  packets received: 0\n"
            "  packet recirculations: 0\n"
            "  avg. datapath passes per packet: 0.00\n"
            "  phwol hits: 0\n"
            "  mfex opt hits: 0\n"
            "  simple match hits: 0\n"
            "  emc hits: 0\n"
            "  smc hits: 0\n"
            "  megaflow hits: 0\n"
            "  avg. subtable lookups per megaflow hit: 0.00\n"
            "  miss with success upcall: 0\n"
            "  miss with failed upcall: 0\n"
            "  avg. packets per output batch: 0.00\n");
}

TEST(PmdTextTest, PerformanceIsOpenVSwitchsWithStagesBelow) {
  EXPECT_EQ(format_pmd_perf(std::vector{busy_worker()}, 2000, "10:20:30.400"),
            "\nTime: 10:20:30.400\n"
            "Measurement duration: 2.000 s\n"
            "\n"
            "pmd thread numa_id 1 core_id 3:\n"
            "\n"
            "  Iterations:                  400  (5000.00 us/it)\n"
            "  - Used TSC cycles:          4000  (100.0 % of total cycles)\n"
            "  - idle iterations:           100  ( 25.0 % of used cycles)\n"
            "  - busy iterations:           300  ( 75.0 % of used cycles)\n"
            "  - sleep iterations:            0  (  0.0 % of iterations)\n"
            "  Sleep time (us):               0  (  0 us/iteration avg.)\n"
            "  Rx packets:                   60  (0 Kpps, 50 cycles/pkt)\n"
            "  Datapath passes:              60  (1.00 passes/pkt)\n"
            "  - PHWOL hits:                  1  (  1.7 %)\n"
            "  - MFEX Opt hits:               0  (  0.0 %)\n"
            "  - Simple Match hits:           2  (  3.3 %)\n"
            "  - EMC hits:                   54  ( 90.0 %)\n"
            "  - SMC hits:                    0  (  0.0 %)\n"
            "  - Megaflow hits:               3  (  5.0 %, 1.00 subtbl lookups/hit)\n"
            "  - Upcalls:                     0  (  0.0 %, 0.0 us/upcall)\n"
            "  - Lost upcalls:                0  (  0.0 %)\n"
            "  Tx packets:                   40  (0 Kpps)\n"
            "  Tx batches:                   10  (4.00 pkts/batch)\n"
            "  Cycles per stage:\n"
            "  - receive:                   600  ( 20.0 %, 10.0 cycles/pkt)\n"
            "  - parse+cache:               900  ( 30.0 %, 15.0 cycles/pkt)\n"
            "  - classifier walk:           300  ( 10.0 %, 5.0 cycles/pkt)\n"
            "  - run segments:              600  ( 20.0 %, 10.0 cycles/pkt)\n"
            "  - transmit:                  600  ( 20.0 %, 10.0 cycles/pkt)\n");
}

TEST(PmdTextTest, QueuesAreOpenVSwitchs) {
  EXPECT_EQ(format_pmd_rxq(std::vector{busy_worker()}, 60),
            "Displaying last 60 seconds pmd usage %\n"
            "pmd thread numa_id 1 core_id 3:\n"
            "  isolated : true\n"
            "  port: p1                queue-id:  0 (enabled)   pmd usage:  7 %\n"
            "  port: p1                queue-id:  1 (enabled)   pmd usage: NOT AVAIL\n"
            "  overhead:  2 %\n");
}

}  // namespace
}  // namespace hoist::ctl
