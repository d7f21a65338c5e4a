// SPDX-License-Identifier: BSD-3-Clause
#include "cli/bulk.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string_view>

#include "rpc/rpc_client.hpp"

namespace hoist::ctl {
namespace {

constexpr std::size_t kPart = std::size_t{512} << 10;
constexpr int kBarWidth = 40;
constexpr int kMistakesShown = 20;

/// A bar on standard error, if that is a terminal.
class Progress {
 public:
  explicit Progress(std::size_t whole) : whole_(whole), is_on_(::isatty(STDERR_FILENO) == 1) {}
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void show(std::size_t done, const char* what) const {
    if (!is_on_ || whole_ == 0) return;
    const auto filled = static_cast<int>(done * kBarWidth / whole_);
    std::fprintf(stderr, "\r[%.*s%*s] %3d %% %s\x1b[K", filled,
                 "########################################", kBarWidth - filled, "",
                 static_cast<int>(done * 100 / whole_), what);
  }
  void clear() const {
    if (is_on_) std::fprintf(stderr, "\r\x1b[K");
  }

 private:
  std::size_t whole_;
  bool is_on_;
};

Result<std::string> read_all(const std::string& file) {
  if (file == "-") {
    return std::string(std::istreambuf_iterator<char>(std::cin), {});
  }
  std::ifstream in(file, std::ios::binary);
  if (!in) return failure(Errc::kIo, file + ": " + std::strerror(errno));
  return std::string(std::istreambuf_iterator<char>(in), {});
}

class Loader {
 public:
  explicit Loader(const BulkRequest& request) : request_(request) {}

  Result<std::size_t> load(std::string_view text) {
    std::vector<std::string> params = {request_.bridge, request_.kind};
    if (request_.keeps_going) params.emplace_back("keep-going");
    const auto id = call(request_.socket, "bulk/begin", params);
    if (!id) return tl::unexpected(id.error());
    const Progress progress(text.size());
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t size = part_size(text.substr(at));
      const auto answer =
          call(request_.socket, "bulk/add", {*id, std::string(text.substr(at, size))});
      if (!answer) return tl::unexpected(answer.error());
      progress.clear();
      note_mistakes(*answer);
      at += size;
      progress.show(at, "checked");
    }
    progress.show(text.size(), "checked, being applied");
    const auto answer = call(request_.socket, "bulk/commit", {*id});
    if (!answer) return tl::unexpected(answer.error());
    progress.clear();
    return note_mistakes(*answer);
  }
  [[nodiscard]] int mistakes() const { return mistakes_; }

 private:
  /// Whole lines.
  static std::size_t part_size(std::string_view rest) {
    if (rest.size() <= kPart) return rest.size();
    const std::size_t before = rest.rfind('\n', kPart);
    if (before != std::string_view::npos) return before + 1;
    const std::size_t after = rest.find('\n');
    return after == std::string_view::npos ? rest.size() : after + 1;
  }

  /// Returns "applied".
  std::size_t note_mistakes(const std::string& answer) {
    const auto json = nlohmann::json::parse(answer, nullptr, false);
    if (!json.is_object()) return 0;
    const std::string file = request_.file == "-" ? "standard input" : request_.file;
    for (const auto& error : json.value("errors", nlohmann::json::array())) {
      if (++mistakes_ > kMistakesShown) continue;
      std::cerr << file << ':' << error.value("line", 0) << ": " << error.value("message", "")
                << '\n';
    }
    return json.value("applied", std::size_t{0});
  }

  const BulkRequest& request_;
  int mistakes_ = 0;
};

}  // namespace

int load_file(const BulkRequest& request) {
  const Result<std::string> text = read_all(request.file);
  if (!text) {
    std::cerr << "hoistctl: " << text.error().message << '\n';
    return 1;
  }
  Loader loader(request);
  const Result<std::size_t> applied = loader.load(*text);
  if (!applied) {
    std::cerr << "hoistctl: " << applied.error().message << '\n';
    return 1;
  }
  if (loader.mistakes() > kMistakesShown) {
    std::cerr << loader.mistakes() << " mistakes, the first " << kMistakesShown << " shown\n";
  }
  if (loader.mistakes() != 0 && !request.keeps_going) {
    std::cerr << "nothing applied (--keep-going would apply the rest)\n";
    return 1;
  }
  std::cout << *applied << ' ' << request.kind << " added\n";
  return loader.mistakes() == 0 ? 0 : 1;
}

}  // namespace hoist::ctl
