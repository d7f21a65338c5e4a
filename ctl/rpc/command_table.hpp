// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "hoist/error.hpp"

namespace hoist::ctl {

/// The commands that `ovs-appctl -t hoistd.ctl COMMAND ARG...` and hoistctl reach. Control thread.
class CommandTable {
 public:
  /// What a command answers: text for people (or JSON where the command says so), or an error.
  using Answer = std::function<void(Result<std::string>)>;
  /// Calls `answer` once, now or later.
  using Handler = std::function<void(const std::vector<std::string>& arguments, Answer answer)>;

  /// A long answer, made while its reader takes it: each call appends a piece, perhaps empty, and
  /// takes little time; false: that was the last.
  using Pieces = std::function<bool(std::string& out)>;
  /// Says what to answer in pieces, or why not.
  using Streamer = std::function<Result<Pieces>(const std::vector<std::string>& arguments)>;

  struct Command {
    std::string usage;  ///< Arguments, as list-commands shows them: "[BRIDGE]".
    std::size_t min_arguments = 0;
    std::size_t max_arguments = 0;
    Handler handler;
    Streamer streamer = {};  ///< Instead of handler.
  };

  void add(const std::string& name, Command command) { commands_[name] = std::move(command); }
  /// As add(), for commands that answer at once.
  void add_plain(const std::string& name, const std::string& usage, std::size_t min_arguments,
                 std::size_t max_arguments,
                 std::function<Result<std::string>(const std::vector<std::string>&)> run);
  /// Runs a command, or answers why not. An answer in pieces goes to `stream`.
  void run(const std::string& name, const std::vector<std::string>& arguments, Answer answer,
           const std::function<void(Pieces)>& stream) const;
  /// The same where an answer in pieces is wanted whole.
  void run(const std::string& name, const std::vector<std::string>& arguments,
           const Answer& answer) const;
  /// What list-commands prints.
  [[nodiscard]] std::string listing() const;

 private:
  std::map<std::string, Command> commands_;
};

}  // namespace hoist::ctl
