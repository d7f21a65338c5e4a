// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <rte_ethdev.h>
#include <rte_flow.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "answer.hpp"
#include "async.hpp"
#include "books.hpp"
#include "handles.hpp"
#include "meter_port.hpp"
#include "port.hpp"
#include "profile.hpp"
#include "table.hpp"

namespace emulated_nic {

/// An indirect action: a counter or an age shared by rules.
struct Indirect {
  enum class Kind : std::uint8_t { kCount, kAge } kind = Kind::kCount;
  std::uint16_t port = 0;
  Counter hits;
  std::uint64_t queried_packets = 0;
  std::uint64_t queried_bytes = 0;
  std::atomic<std::uint64_t> last_hit_ms{0};
  std::uint32_t timeout_s = 0;
  void* context = nullptr;
  bool is_aged = false;
  std::uint64_t user_count = 0;  ///< Rules that use it.
};

/// The emulated NIC: all emulated ports, in one switch domain, and their rules.
///
/// Invariants: 1. rules change only with Exclusive held, that is the API mutex and every receive
/// queue's lock; 2. a receiving thread holds its queue's lock only, then at most one transmit
/// queue's or mailbox's; 3. Groups and queues are never freed, so pointers to them stay good.
class Nic {
 public:
  /// The one of this process. Its first call loads the profile that EMULATED_NIC names.
  static Nic& instance();

  /// Stops all receiving threads at a burst's end, and other callers of the API.
  class Exclusive {
   public:
    explicit Exclusive(Nic& nic);
    ~Exclusive();
    Exclusive(const Exclusive&) = delete;
    Exclusive& operator=(const Exclusive&) = delete;

   private:
    Nic& nic_;
    const std::size_t locked_;  ///< Queues that are added meanwhile are not.
  };

  /// Replaces the profile; rules and books are forgotten. Only before ports are started.
  void load(Profile profile);
  [[nodiscard]] const Profile& profile() const { return profile_; }
  /// change(nic, profile) while nothing else looks.
  template <class Change>
  void change_profile(Change change) {
    const Exclusive exclusive(*this);
    change(*this, profile_);
  }
  /// See emulated_nic_set_hook().
  void set_hook(int (*hook)(void*, int), void* context) {
    hook_ = hook;
    hook_context_ = context;
  }
  /// Whether the profile covers the port.
  [[nodiscard]] bool covers(std::uint16_t port_id) const;
  [[nodiscard]] Port& port(std::uint16_t port_id) { return ports_[port_id]; }
  [[nodiscard]] std::uint16_t first_port() const;
  [[nodiscard]] Books& books() { return books_; }

  // Ports; see port_api.cpp.
  void port_started(std::uint16_t port_id);
  /// The newest `count` rules carry nothing any more; their handles stay good.
  void lose_newest(std::uint64_t count);
  /// Before the driver stops: transmission ends, the port's rules are lost.
  void port_stopping(std::uint16_t port_id);
  void port_closing(std::uint16_t port_id);
  std::uint16_t receive(RxQueue& queue, rte_mbuf** mbufs, std::uint16_t count, std::uint16_t max);

  // Rules; see flow_api.cpp.
  Answer<bool> validate(std::uint16_t port_id, const rte_flow_attr* attr,
                        const rte_flow_item* items, const rte_flow_action* actions);
  Answer<rte_flow*> create(std::uint16_t port_id, const rte_flow_attr* attr,
                           const rte_flow_item* items, const rte_flow_action* actions);
  Answer<bool> destroy(std::uint16_t port_id, std::uint64_t handle);
  // In two steps, for the queue API: a prepared rule has a handle and no effect.
  Answer<std::uint64_t> prepare(std::uint16_t port_id, const rte_flow_attr* attr,
                                const rte_flow_item* items, const rte_flow_action* actions);
  Answer<bool> activate(std::uint16_t port_id, std::uint64_t handle);
  Answer<bool> check_handle(std::uint16_t port_id, std::uint64_t handle);
  /// Counts the rule in `*rules_of_table` until it is gone.
  void set_table(std::uint64_t handle, std::uint64_t* rules_of_table);
  [[nodiscard]] AsyncPort& async(std::uint16_t port_id) { return *async_[port_id]; }
  Answer<bool> flush(std::uint16_t port_id);
  Answer<bool> query(std::uint16_t port_id, rte_flow* flow, const rte_flow_action* actions,
                     void* data);
  Answer<bool> isolate(std::uint16_t port_id, bool on);
  /// The contexts of rules that have come of age, each once; `contexts` may be null to count.
  Answer<int> aged(std::uint16_t port_id, void** contexts, std::uint32_t count);
  /// One rule, or (null) all of the port, one a line.
  Answer<std::string> dump(std::uint16_t port_id, rte_flow* flow);

  // Indirect actions; see indirect.cpp.
  Answer<rte_flow_action_handle*> create_indirect(std::uint16_t port_id,
                                                  const rte_flow_action& action);
  Answer<bool> destroy_indirect(std::uint16_t port_id, rte_flow_action_handle* handle);
  Answer<bool> update_indirect(std::uint16_t port_id, rte_flow_action_handle* handle,
                               const void* update);
  Answer<bool> query_indirect(std::uint16_t port_id, const rte_flow_action_handle* handle,
                              void* data);

  [[nodiscard]] std::uint64_t rule_count() {
    const std::lock_guard guard(api_);
    return active_count_;
  }
  /// All that can be read from outside, as JSON.
  [[nodiscard]] std::string books_json();
  /// Visits rules: (port, is_transfer, group, rules in it, masks in it).
  template <class Visit>
  void for_each_group(Visit visit) {
    const std::lock_guard guard(api_);
    for (const auto& [id, group] : transfer_) visit(UINT16_MAX, true, *group);
    for (std::uint16_t i = 0; i < RTE_MAX_ETHPORTS; ++i) {
      for (const auto& [id, group] : ports_[i].ingress) visit(i, false, *group);
    }
  }

  /// Guarded by Exclusive.
  [[nodiscard]] MeterPort& meters(std::uint16_t port_id) { return meters_[port_id]; }
  [[nodiscard]] Group& transfer_root() { return *transfer_root_; }

 private:
  struct Compiled {
    Pattern pattern;
    Program program;
  };

  Nic();
  Group& group(std::uint16_t port_id, bool is_transfer, std::uint32_t id);
  Answer<bool> check_attributes(std::uint16_t port_id, const rte_flow_attr* attr) const;
  Answer<Compiled> compile(std::uint16_t port_id, const rte_flow_attr* attr,
                           const rte_flow_item* items, const rte_flow_action* actions);
  Answer<bool> check_room(const Group& group, const Program& program) const;
  Answer<bool> inject_fault();
  void spend_insertion_time();
  Answer<bool> ask_hook(bool is_create);
  Answer<bool> link(const rte_flow_attr& attr, std::uint16_t port_id, Program& program);
  Answer<bool> link_indirect(Op& op);
  Answer<bool> link_meter(std::uint16_t port_id, Op& op) const;
  void unlink(Rule& rule);
  Answer<std::uint64_t> prepare_locked(std::uint16_t port_id, const rte_flow_attr* attr,
                                       const rte_flow_item* items, const rte_flow_action* actions);
  Answer<bool> activate_locked(Rule& rule);
  static void change_users(const Rule& rule, std::uint64_t by);
  Answer<Rule*> find(std::uint16_t port_id, std::uint64_t handle);
  static Answer<bool> check_present(const Rule& rule);
  Answer<Indirect*> find_indirect(const rte_flow_action_handle* handle);
  void lose_rules(std::uint16_t port_id);
  void lose_indirects(std::uint16_t port_id);
  std::string describe(const Rule& rule) const;

  Profile profile_;
  std::mutex api_;
  std::array<Port, RTE_MAX_ETHPORTS> ports_;
  std::vector<RxQueue*> rx_queues_;  ///< All there are; their locks are taken in this order.
  Groups transfer_;
  Group* transfer_root_ = nullptr;
  std::array<MeterPort, RTE_MAX_ETHPORTS> meters_;
  Handles<Rule> rules_;
  Handles<Indirect> indirects_;
  std::uint64_t next_sequence_ = 0;
  std::uint64_t counter_count_ = 0;
  std::uint64_t active_count_ = 0;  ///< Rules in force.
  std::array<std::unique_ptr<AsyncPort>, RTE_MAX_ETHPORTS> async_;
  Books books_;
  int (*hook_)(void*, int) = nullptr;
  void* hook_context_ = nullptr;
};

/// A clock that only goes forward; or what a test has set (0: the clock again).
[[nodiscard]] std::uint64_t now_ns();
[[nodiscard]] inline std::uint64_t now_ms() { return now_ns() / 1'000'000; }
void set_clock_ns(std::uint64_t now_ns);

}  // namespace emulated_nic
