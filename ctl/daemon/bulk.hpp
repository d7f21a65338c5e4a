// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "hoist/error.hpp"
#include "openflow/bridge.hpp"

namespace hoist::ctl {

/// A file of flows or meters on its way in: gathered in parts, checked line by line, and applied as
/// one step or not at all. Control thread.
class BulkLoad {
 public:
  enum class Kind : std::uint8_t { kFlows, kMeters };
  struct LineError {
    std::size_t line;  ///< From 1.
    std::string message;
  };
  struct Report {
    std::size_t applied = 0;
    std::vector<LineError> errors;
  };

  /// `keeps_going`: lines with errors are left out, the others applied.
  BulkLoad(openflow::Bridge& bridge, Kind kind, bool keeps_going)
      : bridge_(&bridge), kind_(kind), keeps_going_(keeps_going) {}

  /// The next lines, whole ones. Returns the syntax errors in them.
  std::vector<LineError> add(std::string_view text);
  /// Applies what add() took; with an error, nothing, unless it keeps going.
  Report commit();

 private:
  /// Calls visit(line number, text) for each line that says something.
  template <class Visit>
  static void for_each_line(std::string_view text, std::size_t first, Visit visit);
  void commit_flows(Report& report);
  void commit_meters(Report& report);

  openflow::Bridge* bridge_;
  Kind kind_;
  bool keeps_going_;
  bool has_errors_ = false;
  std::string text_;
  std::size_t lines_ = 0;
};

/// The loads under way, by number. Few: one that is not committed gives way to new ones.
class BulkLoads {
 public:
  std::uint32_t begin(BulkLoad load);
  /// Null: there is none of that number.
  [[nodiscard]] BulkLoad* find(std::uint32_t id);
  void end(std::uint32_t id) { loads_.erase(id); }

 private:
  static constexpr std::size_t kLoadsMax = 8;
  std::map<std::uint32_t, BulkLoad> loads_;
  std::uint32_t last_id_ = 0;
};

}  // namespace hoist::ctl
