// SPDX-License-Identifier: BSD-3-Clause
#include "cli/plan.hpp"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>

extern char** environ;

namespace hoist::ctl {
namespace {

std::vector<std::string> arguments(const PlanRequest& request) {
  std::vector<std::string> out{"hoist-plan", "--profile", request.profile};
  if (request.port_count != 0) {
    out.insert(out.end(), {"--ports", std::to_string(request.port_count)});
  }
  if (!request.meters.empty()) out.insert(out.end(), {"--meters", request.meters});
  out.insert(out.end(), request.rules.begin(), request.rules.end());
  return out;
}

std::string read_all(int fd) {
  std::string out;
  std::array<char, 65536> part;
  for (ssize_t size; (size = ::read(fd, part.data(), part.size())) > 0;) {
    out.append(part.data(), static_cast<std::size_t>(size));
  }
  return out;
}

/// Runs a program to its end; what it printed. Fails with kNotFound if it cannot be run.
Result<std::string> output_of(const std::string& path, std::vector<std::string> words,
                              int& status) {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) return failure(Errc::kIo, "no pipe");
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  ::posix_spawn_file_actions_addclose(&actions, ends[0]);
  ::posix_spawn_file_actions_addclose(&actions, ends[1]);
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  pid_t child = 0;
  const int failed = ::posix_spawn(&child, path.c_str(), &actions, nullptr, argv.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  std::string out = failed == 0 ? read_all(ends[0]) : "";
  ::close(ends[0]);
  if (failed != 0) return failure(Errc::kNotFound, "cannot run " + path);
  ::waitpid(child, &status, 0);
  return out;
}

}  // namespace

Result<nlohmann::json> plan(const PlanRequest& request) {
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::string path = (self.parent_path() / "hoist-plan").string();
  int status = 0;
  const Result<std::string> out = output_of(path, arguments(request), status);
  if (!out) return tl::unexpected<Error>(out.error());
  nlohmann::json json = nlohmann::json::parse(*out, nullptr, false);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || json.is_discarded()) {
    return failure(Errc::kInvalidArgument, "there is no plan: see above");
  }
  return json;
}

}  // namespace hoist::ctl
