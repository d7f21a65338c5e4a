// SPDX-License-Identifier: BSD-3-Clause
#include "daemon/run_dir.hpp"

#include <fcntl.h>
#include <spdlog/fmt/fmt.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

namespace hoist::ctl {
namespace {

std::string read_pid(int fd) {
  std::array<char, 32> text{};
  const ssize_t count = ::pread(fd, text.data(), text.size() - 1, 0);
  std::string pid(text.data(), count > 0 ? static_cast<std::size_t>(count) : 0);
  while (!pid.empty() && pid.back() == '\n') pid.pop_back();
  return pid.empty() ? "unknown" : pid;
}

}  // namespace

std::string run_dir_path() {
  const char* path = std::getenv("HOIST_RUNDIR");
  return path != nullptr && *path != '\0' ? path : "/run/hoist";
}

Result<RunDir> RunDir::acquire(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) return failure(Errc::kIo, fmt::format("cannot make {}: {}", path, error.message()));
  const std::string pid_path = path + "/hoistd.pid";
  const int fd = ::open(pid_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (fd < 0) {
    return failure(Errc::kIo, fmt::format("cannot open {}: {}", pid_path, std::strerror(errno)));
  }
  if (::flock(fd, LOCK_EX | LOCK_NB) != 0) {
    const std::string pid = read_pid(fd);
    ::close(fd);
    return failure(Errc::kExists,
                   fmt::format("hoistd is running already in {} as process {}", path, pid));
  }
  const std::string pid = fmt::format("{}\n", ::getpid());
  if (::ftruncate(fd, 0) != 0 ||
      ::pwrite(fd, pid.data(), pid.size(), 0) != static_cast<ssize_t>(pid.size())) {
    const std::string why = std::strerror(errno);
    ::close(fd);
    return failure(Errc::kIo, fmt::format("cannot write {}: {}", pid_path, why));
  }
  return RunDir(path, fd);
}

RunDir::RunDir(RunDir&& other) noexcept
    : path_(std::move(other.path_)), pid_fd_(std::exchange(other.pid_fd_, -1)) {}

RunDir::~RunDir() {
  if (pid_fd_ < 0) return;
  ::unlink(file("hoistd.pid").c_str());
  ::close(pid_fd_);
}

}  // namespace hoist::ctl
