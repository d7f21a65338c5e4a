// SPDX-License-Identifier: BSD-3-Clause
#include "rpc/command_table.hpp"

#include <spdlog/fmt/fmt.h>

#include <utility>

namespace hoist::ctl {

void CommandTable::add_plain(
    const std::string& name, const std::string& usage, std::size_t min_arguments,
    std::size_t max_arguments,
    std::function<Result<std::string>(const std::vector<std::string>&)> run) {
  add(name, {.usage = usage,
             .min_arguments = min_arguments,
             .max_arguments = max_arguments,
             .handler = [run = std::move(run)](const std::vector<std::string>& arguments,
                                               const Answer& answer) { answer(run(arguments)); }});
}

void CommandTable::run(const std::string& name, const std::vector<std::string>& arguments,
                       const Answer& answer) const {
  run(name, arguments, answer, [&answer](const Pieces& next) {
    std::string whole;
    while (next(whole)) {
    }
    answer(std::move(whole));
  });
}

void CommandTable::run(const std::string& name, const std::vector<std::string>& arguments,
                       Answer answer, const std::function<void(Pieces)>& stream) const {
  const auto found = commands_.find(name);
  if (found == commands_.end()) {
    return answer(failure(Errc::kNotFound, fmt::format("\"{}\" is not a valid command", name)));
  }
  const Command& command = found->second;
  if (arguments.size() < command.min_arguments || arguments.size() > command.max_arguments) {
    return answer(
        failure(Errc::kInvalidArgument,
                fmt::format("\"{}\" command takes {}: {} {}", name,
                            command.max_arguments == 0 ? "no arguments" : "other arguments", name,
                            command.usage)));
  }
  if (!command.streamer) return command.handler(arguments, std::move(answer));
  Result<Pieces> pieces = command.streamer(arguments);
  if (!pieces) return answer(tl::unexpected<Error>(pieces.error()));
  stream(*std::move(pieces));
}

std::string CommandTable::listing() const {
  std::string out = "The available commands are:\n";
  for (const auto& [name, command] : commands_) {
    out += fmt::format("  {:<23} {}\n", name, command.usage);
  }
  return out;
}

}  // namespace hoist::ctl
