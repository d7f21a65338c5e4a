// SPDX-License-Identifier: BSD-3-Clause
#include "daemon/bulk.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
#include <unordered_set>
#include <utility>

#include "openflow/check.hpp"
#include "text/flow_text.hpp"
#include "text/meter_text.hpp"

namespace hoist::ctl {
namespace {

using openflow::Bridge;
using openflow::MeterMod;

std::string_view trimmed(std::string_view line) {
  line = line.substr(0, line.find('#'));
  while (!line.empty() && std::isspace(static_cast<unsigned char>(line.back())) != 0) {
    line.remove_suffix(1);
  }
  while (!line.empty() && std::isspace(static_cast<unsigned char>(line.front())) != 0) {
    line.remove_prefix(1);
  }
  return line;
}

/// Names of a bridge's ports, looked up once.
class PortNames {
 public:
  explicit PortNames(const Bridge& bridge) {
    for (const openflow::PortDesc& port : bridge.ports()) {
      numbers_.emplace(port.status.name, port.status.number);
    }
  }
  std::optional<PortNo> operator()(std::string_view name) const {
    const auto found = numbers_.find(name);
    return found == numbers_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  std::map<std::string, PortNo, std::less<>> numbers_;
};

}  // namespace

template <class Visit>
void BulkLoad::for_each_line(std::string_view text, std::size_t first, Visit visit) {
  for (std::size_t line = first; !text.empty(); ++line) {
    const std::size_t end = text.find('\n');
    const std::string_view content = trimmed(text.substr(0, end));
    if (!content.empty() && !visit(line, content)) return;
    if (end == std::string_view::npos) return;
    text.remove_prefix(end + 1);
  }
}

std::vector<BulkLoad::LineError> BulkLoad::add(std::string_view text) {
  std::vector<LineError> errors;
  const PortNames names(*bridge_);
  const text::PortResolver port_of = names;
  for_each_line(text, lines_ + 1, [&](std::size_t line, std::string_view content) {
    std::string message;
    if (kind_ == Kind::kFlows) {
      if (const auto mod = text::parse_flow(content, port_of); !mod) message = mod.error().message;
    } else if (const auto meter = text::parse_meter(content); !meter) {
      message = meter.error().message;
    }
    if (!message.empty()) errors.push_back({line, std::move(message)});
    return true;
  });
  has_errors_ |= !errors.empty();
  lines_ += static_cast<std::size_t>(std::ranges::count(text, '\n'));
  text_ += text;
  return errors;
}

BulkLoad::Report BulkLoad::commit() {
  Report report;
  if (has_errors_ && !keeps_going_) return report;
  // What others have begun is theirs to finish.
  bridge_->flush();
  if (kind_ == Kind::kFlows) {
    commit_flows(report);
  } else {
    commit_meters(report);
  }
  return report;
}

void BulkLoad::commit_flows(Report& report) {
  const PortNames names(*bridge_);
  const text::PortResolver port_of = names;
  const std::uint64_t now_ms = bridge_->now_ms();
  for_each_line(text_, 1, [&](std::size_t line, std::string_view content) {
    auto mod = text::parse_flow(content, port_of);
    if (!mod) return true;  // Told by add().
    // ovs-ofctl checks here what the codec checks there.
    openflow::Decoded<void> done =
        openflow::check(mod->match, mod->instructions, {openflow::Version::kOf13, mod->table_id});
    if (done) done = bridge_->rules().apply(std::move(*mod), now_ms, {});
    if (done) return ++report.applied, true;
    report.errors.push_back({line, std::move(done.error().detail)});
    return keeps_going_;
  });
  if (!report.errors.empty() && !keeps_going_) {
    bridge_->rules().rollback();
    report.applied = 0;
    return;
  }
  bridge_->flush();
}

void BulkLoad::commit_meters(Report& report) {
  std::vector<MeterMod> mods;
  std::unordered_set<MeterId> seen;
  for_each_line(text_, 1, [&](std::size_t line, std::string_view content) {
    auto meter = text::parse_meter(content);
    if (!meter) return true;
    MeterMod mod{MeterMod::Command::kAdd, std::move(*meter)};
    openflow::Decoded<void> fit = bridge_->meters().check(mod);
    if (fit && !seen.insert(mod.config.id).second) {
      fit = openflow::fault(openflow::ErrorName::kMeterModExists, "the meter comes twice");
    }
    if (fit) return mods.push_back(std::move(mod)), true;
    report.errors.push_back({line, std::move(fit.error().detail)});
    return keeps_going_;
  });
  if (!report.errors.empty() && !keeps_going_) return;
  std::vector<MeterId> applied;
  for (MeterMod& mod : mods) {
    const MeterId id = mod.config.id;
    if (const auto done = bridge_->apply(std::move(mod), {}); !done) {
      report.errors.push_back({lines_, done.error().detail});
      break;
    }
    applied.push_back(id);
  }
  if (!report.errors.empty() && !keeps_going_) {
    for (const MeterId id : std::exchange(applied, {})) {
      (void)bridge_->apply({MeterMod::Command::kDelete, {.id = id}}, {});
    }
  }
  report.applied = applied.size();
  bridge_->flush();
}

std::uint32_t BulkLoads::begin(BulkLoad load) {
  if (loads_.size() == kLoadsMax) loads_.erase(loads_.begin());
  loads_.emplace(++last_id_, std::move(load));
  return last_id_;
}

BulkLoad* BulkLoads::find(std::uint32_t id) {
  const auto found = loads_.find(id);
  return found == loads_.end() ? nullptr : &found->second;
}

}  // namespace hoist::ctl
