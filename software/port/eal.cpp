// SPDX-License-Identifier: BSD-3-Clause
#include "hoist/eal.hpp"

#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_lcore.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <string_view>

namespace hoist {
namespace {

/// Free huge pages of any size.
bool has_huge_pages() {
  std::error_code ignored;
  for (const auto& dir : std::filesystem::directory_iterator("/sys/kernel/mm/hugepages", ignored)) {
    std::ifstream file(dir.path() / "free_hugepages");
    unsigned long count = 0;
    if (file >> count && count != 0) return true;
  }
  return false;
}

bool has_option(const std::vector<std::string>& args,
                std::initializer_list<std::string_view> names) {
  return std::ranges::any_of(args, [&](const std::string& arg) {
    return std::ranges::any_of(names, [&](std::string_view name) {
      return arg == name || (arg.starts_with(name) && arg.size() > name.size() &&
                             (arg[name.size()] == '=' || name.size() == 2));
    });
  });
}

/// Lcore 0 floats over the control cores; workers are lcores 1, 2, ...
std::string lcore_map(const EalConfig& config) {
  std::string map("0@(");
  for (const unsigned core : config.control_cores) map.append(std::to_string(core)).append(1, ',');
  if (config.control_cores.empty()) map.append("0,");
  map.back() = ')';
  unsigned lcore = 0;
  for (const unsigned core : config.worker_cores) {
    map.append(1, ',').append(std::to_string(++lcore)).append(1, '@').append(std::to_string(core));
  }
  return map;
}

std::vector<unsigned> find_worker_lcores() {
  std::vector<unsigned> lcores;
  for (unsigned lcore = 0; lcore < RTE_MAX_LCORE; ++lcore) {
    if (rte_lcore_is_enabled(lcore) != 0 && lcore != rte_get_main_lcore()) lcores.push_back(lcore);
  }
  return lcores;
}

}  // namespace

Result<std::unique_ptr<Eal>> start_eal(const EalConfig& config) {
  std::string note;
  // DPDK keeps and permutes its arguments: they live as long as the process.
  static std::vector<std::string> args;
  static std::vector<char*> argv;
  args.assign(1, config.program);
  args.insert(args.end(), config.args.begin(), config.args.end());
  if (!has_option(args, {"-l", "-c", "--lcores"})) {
    args.insert(args.end(), {"--lcores", lcore_map(config), "--main-lcore", "0"});
  }
  if (!has_option(args, {"--no-huge"}) && !has_huge_pages()) {
    note = "no huge pages: DPDK runs with --no-huge, which is slower";
    args.emplace_back("--no-huge");
    if (!has_option(args, {"-m", "--socket-mem"})) args.insert(args.end(), {"-m", "1024"});
  }
  // DPDK does not take --in-memory with --no-huge. This is what of it is left to ask for.
  if (has_option(args, {"--no-huge"})) {
    std::ranges::replace(args, std::string("--in-memory"), std::string("--no-shconf"));
  }
  argv.clear();
  for (std::string& arg : args) argv.push_back(arg.data());
  argv.push_back(nullptr);
  if (rte_eal_init(static_cast<int>(args.size()), argv.data()) < 0) {
    return failure(Errc::kDevice, std::string("DPDK did not start: ") + rte_strerror(rte_errno));
  }
  return std::make_unique<Eal>(find_worker_lcores(), std::move(note));
}

Eal::~Eal() { rte_eal_cleanup(); }

}  // namespace hoist
