// SPDX-License-Identifier: BSD-3-Clause
#include "async.hpp"

#include <algorithm>

#include "nic.hpp"

namespace emulated_nic {
namespace {

constexpr std::uint32_t kDefaultQueueSize = 64;

tl::unexpected<Refused> no(int code, const char* message) {
  return refuse(code, RTE_FLOW_ERROR_TYPE_UNSPECIFIED, nullptr, message);
}

/// What rte_flow_conv() makes of a list, END included.
std::unique_ptr<std::uint64_t[]> convert(rte_flow_conv_op operation, const void* list) {
  rte_flow_error error{};
  const int size = rte_flow_conv(operation, nullptr, 0, list, &error);
  if (size <= 0) return nullptr;
  auto bytes = std::make_unique<std::uint64_t[]>((static_cast<std::size_t>(size) + 7) / 8);
  rte_flow_conv(operation, bytes.get(), static_cast<std::size_t>(size), list, &error);
  return bytes;
}

}  // namespace

ListCopy ListCopy::of(const rte_flow_item* items) {
  ListCopy copy;
  copy.bytes_ = convert(RTE_FLOW_CONV_OP_PATTERN, items);
  return copy;
}
ListCopy ListCopy::of(const rte_flow_action* actions) {
  ListCopy copy;
  copy.bytes_ = convert(RTE_FLOW_CONV_OP_ACTIONS, actions);
  return copy;
}
const rte_flow_item* ListCopy::items() const {
  return reinterpret_cast<const rte_flow_item*>(bytes_.get());
}
const rte_flow_action* ListCopy::actions() const {
  return reinterpret_cast<const rte_flow_action*>(bytes_.get());
}

Answer<bool> AsyncPort::configure(const rte_flow_port_attr&, std::uint16_t queue_count,
                                  const rte_flow_queue_attr* const* queues) {
  if (!nic_.profile().has_queues) return no(ENOTSUP, "no queues for rules");
  if (nic_.port(port_).is_started) return no(EINVAL, "port is started");
  if (queue_count == 0 || queues == nullptr) return no(EINVAL, "no queues asked for");
  queues_.clear();
  queues_.resize(queue_count);
  for (std::uint16_t i = 0; i < queue_count; ++i) {
    const bool has_size = queues[i] != nullptr && queues[i]->size != 0;
    queues_[i].size = has_size ? queues[i]->size : kDefaultQueueSize;
  }
  return true;
}

Answer<std::uint64_t> AsyncPort::add_pattern(const rte_flow_pattern_template_attr& attr,
                                             const rte_flow_item* items) {
  if (queues_.empty()) return no(EINVAL, "rte_flow_configure comes first");
  auto pattern = std::make_unique<PatternTemplate>();
  pattern->attr = attr;
  pattern->items = ListCopy::of(items);
  if (pattern->items.items() == nullptr) return no(EINVAL, "not a pattern");
  return patterns_.add(std::move(pattern));
}

Answer<bool> AsyncPort::remove_pattern(std::uint64_t handle) {
  const PatternTemplate* pattern = patterns_.find(handle);
  if (pattern == nullptr) return no(EINVAL, "no such pattern template");
  if (pattern->user_count != 0) return no(EBUSY, "a table uses the template");
  patterns_.remove(handle);
  return true;
}

Answer<std::uint64_t> AsyncPort::add_actions(const rte_flow_actions_template_attr& attr,
                                             const rte_flow_action* actions,
                                             const rte_flow_action* masks) {
  if (queues_.empty()) return no(EINVAL, "rte_flow_configure comes first");
  const rte_flow_action* mask = masks;
  for (const rte_flow_action* action = actions; action->type != RTE_FLOW_ACTION_TYPE_END;
       ++action, ++mask) {
    if (action->type != mask->type) return no(EINVAL, "actions and masks differ");
  }
  auto added = std::make_unique<ActionsTemplate>();
  added->attr = attr;
  added->actions = ListCopy::of(actions);
  added->masks = ListCopy::of(masks);
  if (added->actions.actions() == nullptr || added->masks.actions() == nullptr) {
    return no(EINVAL, "not a list of actions");
  }
  return actions_.add(std::move(added));
}

Answer<bool> AsyncPort::remove_actions(std::uint64_t handle) {
  const ActionsTemplate* actions = actions_.find(handle);
  if (actions == nullptr) return no(EINVAL, "no such actions template");
  if (actions->user_count != 0) return no(EBUSY, "a table uses the template");
  actions_.remove(handle);
  return true;
}

Answer<std::uint64_t> AsyncPort::add_table(const rte_flow_template_table_attr& attr,
                                           const std::vector<std::uint64_t>& patterns,
                                           const std::vector<std::uint64_t>& actions) {
  if (queues_.empty()) return no(EINVAL, "rte_flow_configure comes first");
  auto table = std::make_unique<TemplateTable>();
  table->attr = attr;
  for (const std::uint64_t handle : patterns) {
    table->patterns.push_back(patterns_.find(handle));
    if (table->patterns.back() == nullptr) return no(EINVAL, "no such pattern template");
  }
  for (const std::uint64_t handle : actions) {
    table->actions.push_back(actions_.find(handle));
    if (table->actions.back() == nullptr) return no(EINVAL, "no such actions template");
  }
  if (patterns.empty() || actions.empty()) return no(EINVAL, "a table needs templates");
  for (PatternTemplate* pattern : table->patterns) ++pattern->user_count;
  for (ActionsTemplate* used : table->actions) ++used->user_count;
  return tables_.add(std::move(table));
}

Answer<bool> AsyncPort::remove_table(std::uint64_t handle) {
  TemplateTable* table = tables_.find(handle);
  if (table == nullptr) return no(EINVAL, "no such table");
  if (table->used != 0) return no(EBUSY, "the table has rules");
  for (PatternTemplate* pattern : table->patterns) --pattern->user_count;
  for (ActionsTemplate* actions : table->actions) --actions->user_count;
  tables_.remove(handle);
  return true;
}

Answer<AsyncPort::Queue*> AsyncPort::queue_of(std::uint32_t queue) {
  if (queue >= queues_.size()) return no(EINVAL, "no such queue");
  return &queues_[queue];
}

Answer<std::uint64_t> AsyncPort::create(std::uint32_t queue, bool is_postponed,
                                        const CreateRequest& request, void* user_data) {
  TemplateTable* table = tables_.find(request.table);
  if (table == nullptr) return no(EINVAL, "no such table");
  if (request.pattern_index >= table->patterns.size() ||
      request.actions_index >= table->actions.size()) {
    return no(EINVAL, "no such template in the table");
  }
  if (table->used >= table->attr.nb_flows) return no(ENOMEM, "the table is full");
  const auto room = queue_of(queue);
  if (!room) return tl::unexpected(room.error());
  if ((*room)->in_flight() >= (*room)->size) return no(EAGAIN, "the queue is full");

  // Masks come from the template, specs from the request.
  std::vector<rte_flow_item> items;
  const rte_flow_item* shape = table->patterns[request.pattern_index]->items.items();
  for (const rte_flow_item* item = request.items;; ++item, ++shape) {
    if (item->type != shape->type) return no(EINVAL, "the pattern is not its template's");
    items.push_back({.type = item->type,
                     .spec = shape->mask == nullptr ? nullptr : item->spec,
                     .mask = item->spec == nullptr ? nullptr : shape->mask});
    if (item->type == RTE_FLOW_ITEM_TYPE_END) break;
  }
  std::vector<rte_flow_action> actions;
  const ActionsTemplate& fixed = *table->actions[request.actions_index];
  for (std::size_t i = 0;; ++i) {
    rte_flow_action action = request.actions[i];
    if (action.type != fixed.actions.actions()[i].type) {
      return no(EINVAL, "the actions are not their template's");
    }
    if (fixed.masks.actions()[i].conf != nullptr) action = fixed.actions.actions()[i];
    actions.push_back(action);
    if (action.type == RTE_FLOW_ACTION_TYPE_END) break;
  }
  auto rule = nic_.prepare(port_, &table->attr.flow_attr, items.data(), actions.data());
  if (!rule) return tl::unexpected(rule.error());
  nic_.set_table(*rule, &table->used);
  const auto queued =
      enqueue(queue, is_postponed,
              {.kind = Operation::Kind::kCreate, .rule = *rule, .user_data = user_data});
  if (!queued) return tl::unexpected(queued.error());
  return *rule;
}

Answer<bool> AsyncPort::destroy(std::uint32_t queue, bool is_postponed, std::uint64_t rule,
                                void* user_data) {
  if (const auto known = nic_.check_handle(port_, rule); !known) return known;
  return enqueue(queue, is_postponed,
                 {.kind = Operation::Kind::kDestroy, .rule = rule, .user_data = user_data});
}

Answer<bool> AsyncPort::complete(std::uint32_t queue, bool is_postponed, bool is_success,
                                 void* user_data) {
  return enqueue(
      queue, is_postponed,
      {.kind = Operation::Kind::kNothing, .user_data = user_data, .is_success = is_success});
}

Answer<bool> AsyncPort::enqueue(std::uint32_t queue, bool is_postponed,
                                const Operation& operation) {
  const auto found = queue_of(queue);
  if (!found) return tl::unexpected(found.error());
  if ((*found)->in_flight() >= (*found)->size) return no(EAGAIN, "the queue is full");
  (*found)->postponed.push_back(operation);
  return is_postponed ? Answer<bool>(true) : push(queue);
}

Answer<bool> AsyncPort::push(std::uint32_t queue) {
  const auto found = queue_of(queue);
  if (!found) return tl::unexpected(found.error());
  Queue& work = **found;
  while (!work.postponed.empty()) {
    work.pushed.push_back(work.postponed.front());
    work.postponed.pop_front();
  }
  execute_due(work);
  return true;
}

void AsyncPort::execute_due(Queue& queue) {
  const std::uint32_t delay = nic_.profile().completion_delay;
  while (!queue.pushed.empty() && queue.pushed.front().pulls >= delay) {
    const Operation operation = queue.pushed.front();
    queue.pushed.pop_front();
    execute(queue, operation);
  }
}

void AsyncPort::execute(Queue& queue, const Operation& operation) {
  bool is_success = operation.is_success;
  if (operation.kind == Operation::Kind::kCreate) {
    is_success = nic_.activate(port_, operation.rule).has_value();
  } else if (operation.kind == Operation::Kind::kDestroy) {
    is_success = nic_.destroy(port_, operation.rule).has_value();
  }
  queue.results.push_back({.status = is_success ? RTE_FLOW_OP_SUCCESS : RTE_FLOW_OP_ERROR,
                           .user_data = operation.user_data});
}

Answer<int> AsyncPort::pull(std::uint32_t queue, rte_flow_op_result* results, std::uint16_t count) {
  const auto found = queue_of(queue);
  if (!found) return tl::unexpected(found.error());
  Queue& work = **found;
  execute_due(work);
  for (Operation& operation : work.pushed) ++operation.pulls;
  int taken = 0;
  for (; taken < count && !work.results.empty(); ++taken) {
    results[taken] = work.results.front();
    work.results.pop_front();
  }
  return taken;
}

void AsyncPort::stopped() {
  for (Queue& queue : queues_) {
    queue.postponed.clear();
    queue.pushed.clear();
    queue.results.clear();
  }
}

}  // namespace emulated_nic
