// SPDX-License-Identifier: BSD-3-Clause
#include "classifier/consulted_index.hpp"

#include <algorithm>
#include <array>
#include <cassert>

namespace hoist::software {

std::uint64_t ConsultedIndex::port_key(const RuleShape& shape) noexcept {
  return shape.in_port ? std::uint64_t{to_integer(*shape.in_port)} : kAnyPort;
}

void ConsultedIndex::add(const FlowMask& mask, const RuleShape& shape, std::uint16_t priority) {
  PriorityCounts& priorities = ports_[port_key(shape)].records[{&mask, shape.may_match}];
  // Only the highest priority decides whether the record is hidden.
  if (priorities.add(priority)) ++generation_;
}

void ConsultedIndex::remove(const FlowMask& mask, const RuleShape& shape, std::uint16_t priority) {
  auto& records = ports_[port_key(shape)].records;
  const auto record = records.find({&mask, shape.may_match});
  assert(record != records.end());
  if (record->second.remove(priority)) ++generation_;
  if (!record->second.empty()) return;
  records.erase(record);
  erase_if_empty(port_key(shape));
}

void ConsultedIndex::hide(const RuleShape& shape, std::uint16_t priority) {
  ports_[port_key(shape)].covers.push_back({shape.covers, priority});
  ++generation_;
}

void ConsultedIndex::unhide(const RuleShape& shape, std::uint16_t priority) {
  std::vector<Cover>& covers = ports_[port_key(shape)].covers;
  const auto it = std::ranges::find_if(
      covers, [&](const Cover& c) { return c.classes == shape.covers && c.priority == priority; });
  if (it == covers.end()) return;
  *it = covers.back();
  covers.pop_back();
  ++generation_;
  erase_if_empty(port_key(shape));
}

void ConsultedIndex::erase_if_empty(std::uint64_t port_key) {
  const auto it = ports_.find(port_key);
  if (it != ports_.end() && it->second.records.empty() && it->second.covers.empty())
    ports_.erase(it);
}

FlowKey ConsultedIndex::consulted(PortNo in_port, PacketClass packet_class) const {
  std::array<const Port*, 2> ports{};
  if (const auto it = ports_.find(kAnyPort); it != ports_.end()) ports[0] = &it->second;
  if (const auto it = ports_.find(to_integer(in_port)); it != ports_.end()) ports[1] = &it->second;
  const unsigned bit = 1u << to_integer(packet_class);

  std::uint16_t hidden_below = 0;
  for (const Port* p : ports) {
    if (p == nullptr) continue;
    for (const Cover& c : p->covers) {
      if ((c.classes & bit) != 0) hidden_below = std::max(hidden_below, c.priority);
    }
  }
  FlowKey key{};
  for (const Port* p : ports) {
    if (p == nullptr) continue;
    for (const auto& [record, priorities] : p->records) {
      const auto& [mask, classes] = record;
      const bool is_seen = (classes & bit) != 0 && priorities.max() >= hidden_below;
      if (is_seen) mask->add_to(key);
    }
  }
  return key;
}

}  // namespace hoist::software
