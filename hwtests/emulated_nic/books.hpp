// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>

namespace emulated_nic {

/// What the NIC has seen since its profile was loaded. Written by any thread, relaxed.
struct Books {
  using Count = std::atomic<std::uint64_t>;

  // Packets.
  Count received{0};       ///< From the wire.
  Count to_software{0};    ///< Handed to the application.
  Count marked{0};         ///< Of these: with MARK or FLAG.
  Count dropped{0};        ///< By DROP rules.
  Count metered_out{0};    ///< By meters.
  Count forwarded{0};      ///< Sent by rules.
  Count sampled{0};        ///< Copies made by SAMPLE.
  Count lost_transmit{0};  ///< The target port took no more, or was stopped.
  Count lost_mailbox{0};   ///< The target receive queue took no more.
  Count lost_link{0};      ///< Came in on a port whose link is down.
  Count lost_isolated{0};  ///< Matched nothing on an isolated port.
  Count lost_hops{0};      ///< Jumped in a circle.
  Count lost_memory{0};    ///< No buffer for a rewrite.

  // Rules.
  Count creates{0};
  Count destroys{0};
  Count refusals{0};  ///< Of create and validate, for what the NIC does not take.
  Count injected{0};  ///< Failures from the fault script.
  Count out_of_room{0};
  Count lost_rules{0};     ///< Gone with a stopped port.
  Count stale_touches{0};  ///< Handles used after they were gone.

  /// Visits (name, counter) of all.
  template <class Visit>
  void for_each(Visit visit) {
    visit("received", received);
    visit("to_software", to_software);
    visit("marked", marked);
    visit("dropped", dropped);
    visit("metered_out", metered_out);
    visit("forwarded", forwarded);
    visit("sampled", sampled);
    visit("lost_transmit", lost_transmit);
    visit("lost_mailbox", lost_mailbox);
    visit("lost_link", lost_link);
    visit("lost_isolated", lost_isolated);
    visit("lost_hops", lost_hops);
    visit("lost_memory", lost_memory);
    visit("creates", creates);
    visit("destroys", destroys);
    visit("refusals", refusals);
    visit("injected", injected);
    visit("out_of_room", out_of_room);
    visit("lost_rules", lost_rules);
    visit("stale_touches", stale_touches);
  }
  void reset() {
    for_each([](const char*, Count& counter) { counter = 0; });
  }
};

inline void count(Books::Count& counter, std::uint64_t by = 1) noexcept {
  counter.fetch_add(by, std::memory_order_relaxed);
}

}  // namespace emulated_nic
