// SPDX-License-Identifier: BSD-3-Clause
// hoistctl: asks a running hoistd and shows the answer to people, or as JSON.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/ask.hpp"
#include "cli/bulk.hpp"
#include "cli/ct.hpp"
#include "cli/offload_views.hpp"
#include "cli/plan.hpp"
#include "cli/views.hpp"

namespace {

std::string default_socket() {
  const char* directory = std::getenv("HOIST_RUNDIR");
  const bool is_set = directory != nullptr && *directory != '\0';
  return std::string(is_set ? directory : "/run/hoist").append("/hoistd.ctl");
}

}  // namespace

int main(int argc, char** argv) {
  namespace ctl = hoist::ctl;
  CLI::App app("Asks a running hoistd: what it does, where its rules are, and why.");
  ctl::AskOptions options{.socket = default_socket()};
  app.add_option("--socket", options.socket, "hoistd's control socket")->capture_default_str();
  app.add_flag("--json", options.is_json, "Print JSON");
  bool is_plain = false;
  app.add_flag("--no-colour", is_plain, "Print without colours");
  app.require_subcommand(1);
  app.fallthrough();

  int status = 0;
  std::vector<std::string> words;
  const auto showing = [&](CLI::App& parent, const char* name, const char* help, const char* method,
                           ctl::View view) {
    CLI::App* command = parent.add_subcommand(name, help);
    command->callback([&, method, view] { status = ctl::show(options, method, words, view); });
    return command;
  };
  const auto running = [&](CLI::App& parent, const char* name, const char* help,
                           const char* method) {
    CLI::App* command = parent.add_subcommand(name, help);
    command->callback([&, method] { status = ctl::run(options, method, words); });
    return command;
  };

  showing(app, "status", "What runs", "hoist/status", ctl::view_status);
  showing(app, "ports", "Ports and what went through them", "hoist/ports", ctl::view_ports);
  showing(app, "workers", "Where the workers' time goes, and their queues", "hoist/workers",
          ctl::view_workers);
  showing(app, "drops", "Packets dropped, by reason", "hoist/drops", ctl::view_drops);
  showing(app, "fdb", "Addresses that a bridge has learned", "hoist/fdb", ctl::view_fdb)
      ->add_option("BRIDGE", words)
      ->required()
      ->expected(1);
  CLI::App* offload = app.add_subcommand("offload", "Rules in hardware");
  offload->require_subcommand(1);
  showing(*offload, "show", "Where each rule is, and why", "hoist/offload", ctl::view_offload)
      ->add_option("RULE", words,
                   "[BRIDGE] and a match as ovs-ofctl takes it, or cookie=VALUE[/MASK]; "
                   "nothing: all rules")
      ->expected(0, 2);
  showing(*offload, "explain", "All there is to say about where rules are", "hoist/offload/explain",
          ctl::view_explanations)
      ->add_option("RULE", words, "As for show")
      ->required()
      ->expected(1, 2);
  const char* const where = "[BRIDGE] PORT; nothing: everywhere";
  running(*offload, "enable", "Put rules into hardware", "offload/enable")
      ->add_option("WHERE", words, where)
      ->expected(0, 2);
  running(*offload, "disable", "Run packets in software", "offload/disable")
      ->add_option("WHERE", words, where)
      ->expected(0, 2);
  showing(*offload, "verify", "Whether the NICs still have what should stand in them",
          "hoist/offload/verify", ctl::view_drift)
      ->add_flag_callback(
          "--repair", [&] { words = {"repair"}; }, "Install anew what has lost rules");
  ctl::PlanRequest plan;
  CLI::App* planning = offload->add_subcommand(
      "plan", "How much of a rule file a NIC would carry; needs neither hoistd nor the NIC");
  planning->add_option("--profile", plan.profile, "A profile of the emulated NIC (TOML)")
      ->required();
  planning->add_option("--ports", plan.port_count, "Ports of the bridge")->capture_default_str();
  planning->add_option("--meters", plan.meters, "File of meters");
  planning->add_option("RULES", plan.rules, "Files of flows as ovs-ofctl takes them")->required();
  planning->callback([&] {
    const auto answer = ctl::plan(plan);
    if (!answer) {
      status = ctl::complain(answer.error().message);
    } else {
      ctl::print(options, *answer, ctl::view_plan);
    }
  });
  CLI::App* nic = app.add_subcommand("nic", "What the NICs behind the ports can do");
  nic->require_subcommand(1);
  showing(*nic, "list", "One line a port", "hoist/nics", ctl::view_nic_list);
  showing(*nic, "show", "Capabilities, as found by asking", "hoist/nics", ctl::view_nics)
      ->add_option("PORT", words, "Nothing: all")
      ->expected(0, 1);
  ctl::add_ct_commands(app, options, words, status);
  ctl::BulkRequest bulk;
  const auto loading = [&](const char* name, const char* help, const char* kind) {
    CLI::App* command = app.add_subcommand(name, help);
    command->add_option("BRIDGE", bulk.bridge)->required();
    command->add_option("FILE", bulk.file, "One a line as ovs-ofctl takes it; -: standard input")
        ->required();
    command->add_flag("--keep-going", bulk.keeps_going, "Leave out what is wrong, add the rest");
    command->callback([&, kind] {
      bulk.socket = options.socket;
      bulk.kind = kind;
      status = ctl::load_file(bulk);
    });
  };
  loading("add-flows", "Add all flows of a file, or none", "flows");
  loading("add-meters", "Add all meters of a file, or none", "meters");
  CLI::App* accounting = running(app, "meter-accounting", "Which bytes of a frame a meter counts",
                                 "meter/set-accounting");
  accounting->add_option("ARGUMENTS", words, "BRIDGE METER layer1|layer2|layer3")
      ->required()
      ->expected(3);
  running(app, "reload", "Read the configuration file again", "reload");
  running(app, "exit", "Stop hoistd", "exit");

  app.parse_complete_callback([&] {
    options.has_colours = !is_plain && !options.is_json && ::isatty(STDOUT_FILENO) == 1 &&
                          std::getenv("NO_COLOR") == nullptr;
  });
  CLI11_PARSE(app, argc, argv);
  return status;
}
