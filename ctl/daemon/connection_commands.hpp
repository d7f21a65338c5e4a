// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <asio/io_context.hpp>
#include <functional>
#include <string>
#include <vector>

#include "daemon/connection_arguments.hpp"
#include "hoist/connections.hpp"
#include "hoist/expectations.hpp"
#include "rpc/command_table.hpp"

namespace hoist::ctl {

/// Open vSwitch's dpctl/...conntrack and dpctl/ct-... commands, in its words, and hoist/ct...,
/// which answer in JSON. What looks at all connections does so in steps of kStepPlaces, with other
/// work of the control thread in between.
class ConnectionCommands {
 public:
  /// Connections looked at in a step: well below a millisecond.
  static constexpr std::uint32_t kStepPlaces = 2048;

  /// All must outlive the table's commands. `expectations`: null where there are no helpers.
  static void add_all(CommandTable& table, asio::io_context& io, Connections& connections,
                      Expectations* expectations);

 private:
  using Arguments = std::vector<std::string>;
  using Text = Result<std::string>;

  ConnectionCommands(asio::io_context& io, Connections& connections, Expectations* expectations)
      : io_(io), connections_(connections), expectations_(expectations) {}
  void add_looks(CommandTable& table) const;
  void add_switches(CommandTable& table) const;
  void add_limits(CommandTable& table) const;
  void add_bounds(CommandTable& table) const;

  [[nodiscard]] Result<CommandTable::Pieces> dump(const Arguments& arguments) const;
  [[nodiscard]] Result<CommandTable::Pieces> dump_json(const Arguments& arguments) const;
  [[nodiscard]] Text dump_expectations(const Arguments& arguments, bool is_json) const;
  void flush(const Arguments& arguments, const CommandTable::Answer& answer) const;
  /// Walks all connections of the zone, or all, and answers with what `text` makes of it.
  void summarize(std::optional<std::uint32_t> zone, Connections::Visit visit,
                 std::function<std::string()> text, const CommandTable::Answer& answer) const;
  void in_steps(std::function<bool()> step, std::function<void()> done) const;
  [[nodiscard]] Text limits_text(const ConnectionArguments& arguments) const;

  asio::io_context& io_;
  Connections& connections_;
  Expectations* expectations_;
};

}  // namespace hoist::ctl
