// SPDX-License-Identifier: BSD-3-Clause
#include "datapath/program_store.hpp"

#include <cstring>
#include <string_view>

namespace hoist::software {
namespace {

/// What it does.
std::string_view bytes_of(const Program* p) {
  constexpr std::size_t kStart = offsetof(Program, op_count);
  return {reinterpret_cast<const char*>(p) + kStart, p->size() - kStart};
}

}  // namespace

std::size_t ProgramStore::Hash::operator()(const Program* p) const noexcept {
  return std::hash<std::string_view>()(bytes_of(p));
}
bool ProgramStore::Equal::operator()(const Program* a, const Program* b) const noexcept {
  return bytes_of(a) == bytes_of(b);
}

ProgramStore::~ProgramStore() {
  for (Program* program : programs_) FreeProgram()(program);
}

const Program* ProgramStore::acquire(ProgramPtr program) {
  const auto [it, is_new] = programs_.insert(program.get());
  if (is_new) {
    (void)program.release();  // The set owns it now.
    (*it)->serial = ++last_serial_;
  }
  ++(*it)->uses;
  return *it;
}

void ProgramStore::release(const Program* program) {
  const auto it = programs_.find(const_cast<Program*>(program));
  if (it == programs_.end() || --(*it)->uses != 0) return;
  Program* last = *it;
  programs_.erase(it);
  reclaimer_.retire(last, [](void* p) { FreeProgram()(static_cast<Program*>(p)); });
}

}  // namespace hoist::software
