// SPDX-License-Identifier: BSD-3-Clause
#include "meter/meter_store.hpp"

namespace hoist::software {

Result<std::unique_ptr<MeterStore>> MeterStore::create(std::uint32_t line_count,
                                                       Reclaimer& reclaimer) {
  auto memory = ReservedMemory::create(std::size_t{line_count} * Meter::kLine);
  if (!memory) return tl::unexpected(memory.error());
  std::unique_ptr<MeterStore> store(new MeterStore(reclaimer));
  store->memory_ = std::move(*memory);
  return store;
}

Meter* MeterStore::create(const MeterConfig& config, MeterTime now) {
  const std::size_t count = Meter::further_lines(config.bands.size());
  void* line = take(1);
  if (line == nullptr) return nullptr;
  void* further = take(count);
  if (count != 0 && further == nullptr) {
    free_[1].push_back(line);
    return nullptr;
  }
  return Meter::create(line, further, config, now);
}

bool MeterStore::configure(Meter& meter, const MeterConfig& config, MeterTime now) {
  const std::size_t count = Meter::further_lines(config.bands.size());
  const std::size_t old_count = Meter::further_lines(meter.band_count());
  void* const old = meter.further();
  if (count == old_count) {
    meter.configure(config, old, now);
    return true;
  }
  void* further = take(count);
  if (count != 0 && further == nullptr) return false;
  meter.configure(config, further, now);
  give_back(old, old_count);
  return true;
}

void MeterStore::destroy(Meter& meter) {
  give_back(meter.further(), Meter::further_lines(meter.band_count()));
  give_back(&meter, 1);
}

void* MeterStore::take(std::size_t count) {
  if (count == 0) return nullptr;
  if (free_[count].empty()) reuse_retired();
  if (!free_[count].empty()) {
    void* lines = free_[count].back();
    free_[count].pop_back();
    return lines;
  }
  if ((used_ + count) * Meter::kLine > memory_.size()) return nullptr;
  void* lines = memory_.as<char>() + used_ * Meter::kLine;
  used_ += count;
  return lines;
}

void MeterStore::give_back(void* lines, std::size_t count) {
  if (count != 0) retired_.push_back({lines, count, reclaimer_.token()});
}

void MeterStore::reuse_retired() {
  while (!retired_.empty() && reclaimer_.passed(retired_.front().token)) {
    free_[retired_.front().count].push_back(retired_.front().lines);
    retired_.pop_front();
  }
}

}  // namespace hoist::software
