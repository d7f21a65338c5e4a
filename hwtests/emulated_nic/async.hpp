// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <rte_flow.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "answer.hpp"
#include "handles.hpp"

namespace emulated_nic {

class Nic;

/// A deep copy of an item or action list.
class ListCopy {
 public:
  static ListCopy of(const rte_flow_item* items);
  static ListCopy of(const rte_flow_action* actions);
  [[nodiscard]] const rte_flow_item* items() const;
  [[nodiscard]] const rte_flow_action* actions() const;

 private:
  std::unique_ptr<std::uint64_t[]> bytes_;
};

struct PatternTemplate {
  rte_flow_pattern_template_attr attr{};
  ListCopy items;  ///< Whose masks count.
  std::uint64_t user_count = 0;
};

struct ActionsTemplate {
  rte_flow_actions_template_attr attr{};
  ListCopy actions;
  ListCopy masks;  ///< An action whose mask has a conf takes the template's conf.
  std::uint64_t user_count = 0;
};

struct TemplateTable {
  rte_flow_template_table_attr attr{};
  std::vector<PatternTemplate*> patterns;
  std::vector<ActionsTemplate*> actions;
  std::uint64_t used = 0;  ///< Rules, those that failed included, until they are destroyed.
};

/// The queue API of one port: templates, tables, operations and their completions. An operation
/// takes effect when it is pushed, or, where the profile delays completions, so many pulls later: a
/// rule is not in force before its completion can be seen. Handles are numbers, as everywhere.
///
/// Not thread safe, as in DPDK: one thread a queue, and templates from one thread.
class AsyncPort {
 public:
  AsyncPort(Nic& nic, std::uint16_t port) : nic_(nic), port_(port) {}

  Answer<bool> configure(const rte_flow_port_attr& attr, std::uint16_t queue_count,
                         const rte_flow_queue_attr* const* queues);
  [[nodiscard]] std::size_t queue_count() const { return queues_.size(); }

  Answer<std::uint64_t> add_pattern(const rte_flow_pattern_template_attr& attr,
                                    const rte_flow_item* items);
  Answer<bool> remove_pattern(std::uint64_t handle);
  Answer<std::uint64_t> add_actions(const rte_flow_actions_template_attr& attr,
                                    const rte_flow_action* actions, const rte_flow_action* masks);
  Answer<bool> remove_actions(std::uint64_t handle);
  Answer<std::uint64_t> add_table(const rte_flow_template_table_attr& attr,
                                  const std::vector<std::uint64_t>& patterns,
                                  const std::vector<std::uint64_t>& actions);
  Answer<bool> remove_table(std::uint64_t handle);

  struct CreateRequest {
    std::uint64_t table;
    const rte_flow_item* items;
    std::uint8_t pattern_index;
    const rte_flow_action* actions;
    std::uint8_t actions_index;
  };
  /// The rule's handle.
  Answer<std::uint64_t> create(std::uint32_t queue, bool is_postponed, const CreateRequest& request,
                               void* user_data);
  Answer<bool> destroy(std::uint32_t queue, bool is_postponed, std::uint64_t rule, void* user_data);
  /// An operation that is done already, for its completion's sake.
  Answer<bool> complete(std::uint32_t queue, bool is_postponed, bool is_success, void* user_data);
  Answer<bool> push(std::uint32_t queue);
  Answer<int> pull(std::uint32_t queue, rte_flow_op_result* results, std::uint16_t count);

  /// The port stops: operations under way are forgotten, as the rules are.
  void stopped();

 private:
  struct Operation {
    enum class Kind : std::uint8_t { kCreate, kDestroy, kNothing } kind;
    std::uint64_t rule = 0;
    void* user_data = nullptr;
    bool is_success = true;   ///< Of kNothing.
    std::uint32_t pulls = 0;  ///< Since it was pushed.
  };
  struct Queue {
    std::uint32_t size = 0;
    std::deque<Operation> postponed;
    std::deque<Operation> pushed;
    std::deque<rte_flow_op_result> results;

    [[nodiscard]] std::size_t in_flight() const {
      return postponed.size() + pushed.size() + results.size();
    }
  };

  Answer<Queue*> queue_of(std::uint32_t queue);
  Answer<bool> enqueue(std::uint32_t queue, bool is_postponed, const Operation& operation);
  void execute(Queue& queue, const Operation& operation);
  void execute_due(Queue& queue);

  Nic& nic_;
  const std::uint16_t port_;
  std::vector<Queue> queues_;
  Handles<PatternTemplate> patterns_;
  Handles<ActionsTemplate> actions_;
  Handles<TemplateTable> tables_;
};

}  // namespace emulated_nic
