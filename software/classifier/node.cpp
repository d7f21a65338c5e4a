// SPDX-License-Identifier: BSD-3-Clause
#include "classifier/node.hpp"

#include <new>

namespace hoist::software {

Node* Node::create(const Entry& entry, Classifier::Version from, const MiniMatch& match,
                   Subtable* home) {
  const std::size_t size = sizeof(Node) + match.words().size() * sizeof(std::uint64_t);
  Node* node = new (::operator new(size)) Node{{entry}, from, kForever, nullptr, home};
  auto* value = reinterpret_cast<std::uint64_t*>(node + 1);
  for (const MiniMatch::Word& w : match.words()) *value++ = w.value;
  return node;
}

void Node::destroy(Node* node) noexcept { ::operator delete(node); }

}  // namespace hoist::software
