// SPDX-License-Identifier: BSD-3-Clause
// hoist-plan: how much of a rule file a NIC of some profile would carry, as JSON.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "plan/bridge_plan.hpp"
#include "plan/null_ports.hpp"

namespace {

using hoist::ctl::BridgePlan;

constexpr std::uint32_t kPortsMax = 31;  // DPDK has places for 32 here.

int refuse(const std::string& why) {
  std::cerr << "hoist-plan: " << why << '\n';
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("How much of a rule file a NIC would carry, as JSON.");
  std::string profile;
  std::string meters;
  std::uint32_t port_count = 0;
  std::vector<std::string> files;
  app.add_option("--profile", profile, "A profile of the emulated NIC")->required();
  app.add_option("--ports", port_count, "Ports of the bridge; 0: as many as the rules name")
      ->check(CLI::Range(kPortsMax));
  app.add_option("--meters", meters, "File of meters");
  app.add_option("RULES", files, "Files of flows")->required();
  CLI11_PARSE(app, argc, argv);

  nlohmann::json report;
  {
    BridgePlan plan;
    for (const std::string& file : files) {
      if (const auto read = plan.read_flows(file); !read) return refuse(read.error().message);
    }
    if (!meters.empty()) {
      if (const auto read = plan.read_meters(meters); !read) return refuse(read.error().message);
    }
    if (port_count == 0) port_count = std::clamp(plan.port_max(), 1u, kPortsMax);
    // The NIC reads it when it is first touched, and ends the program if there is no such profile.
    ::setenv("EMULATED_NIC", profile.c_str(), 1);
    if (const auto started = hoist::ctl::start_null_ports(port_count); !started) {
      return refuse(started.error().message);
    }
    plan.place(port_count);
    report = plan.report();
  }
  hoist::ctl::stop_null_ports(port_count);
  report["profile"] = std::filesystem::path(profile).stem().string();
  report["ports"] = port_count;
  std::cout << report.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
  return 0;
}
