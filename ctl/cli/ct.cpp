// SPDX-License-Identifier: BSD-3-Clause
#include "cli/ct.hpp"

#include <nlohmann/json.hpp>

#include "cli/views.hpp"

namespace hoist::ctl {
namespace {

/// Whose text Open vSwitch's users know: shown as it comes.
std::string as_json(const nlohmann::json& json, bool /*has_colours*/) {
  return json.dump(2) + "\n";
}

class CtCommands {
 public:
  CtCommands(CLI::App& ct, const AskOptions& options, std::vector<std::string>& words, int& status)
      : ct_(ct), options_(options), words_(words), status_(status) {}

  /// A command whose text is dpctl's.
  CLI::App& running(const char* name, const char* help, const char* method) {
    CLI::App* command = ct_.add_subcommand(name, help);
    command->callback([this, method] { status_ = run(options_, method, words_); });
    return *command;
  }
  /// The same, but with --json the answer of another.
  CLI::App& dumping(const char* name, const char* help, const char* method, const char* json) {
    CLI::App* command = ct_.add_subcommand(name, help);
    command->callback([this, method, json] {
      status_ =
          options_.is_json ? show(options_, json, words_, as_json) : run(options_, method, words_);
    });
    add_zone(*command);
    return *command;
  }
  void add_zone(CLI::App& command) {
    add_option(command, "--zone", "zone=", "Of this zone only")->type_name("N");
  }
  CLI::Option* add_option(CLI::App& command, const char* name, const char* prefix,
                          const char* help) {
    return command.add_option_function<std::string>(
        name, [this, prefix](const std::string& value) { words_.push_back(prefix + value); }, help);
  }
  void add_flag(CLI::App& command, const char* name, const char* word, const char* help) {
    command.add_flag_callback(
        name, [this, word] { words_.emplace_back(word); }, help);
  }
  void add_words(CLI::App& command, const char* name, const char* help, bool is_required = false) {
    command
        .add_option_function<std::vector<std::string>>(
            name,
            [this](const std::vector<std::string>& values) {
              words_.insert(words_.end(), values.begin(), values.end());
            },
            help)
        ->required(is_required);
  }
  /// Asks for a number without an argument, and sets it with one.
  void bounding(const char* name, const char* help, const char* get, const char* set) {
    CLI::App* command = ct_.add_subcommand(name, help);
    add_words(*command, "N", "Sets it");
    command->callback(
        [this, get, set] { status_ = run(options_, words_.empty() ? get : set, words_); });
  }

 private:
  CLI::App& ct_;
  const AskOptions& options_;
  std::vector<std::string>& words_;
  int& status_;
};

void add_dumps(CtCommands& ct) {
  CLI::App& dump =
      ct.dumping("dump", "Connections", "dpctl/dump-conntrack", "hoist/ct/connections");
  ct.add_flag(dump, "-m,--more", "-m", "All there is to say about each");
  ct.add_flag(dump, "-s,--statistics", "-s", "How long each stays if nothing comes");
  ct.dumping("expectations", "Connections that helpers have read about and wait for",
             "dpctl/dump-conntrack-exp", "hoist/ct/expectations");
  CLI::App& stats = ct.running("stats", "Connections by protocol", "dpctl/ct-stats-show");
  ct.add_zone(stats);
  ct.add_flag(stats, "-m,--more", "-m", "TCP by state");
  CLI::App& flush = ct.running("flush", "Forget connections", "dpctl/flush-conntrack");
  ct.add_zone(flush);
  ct.add_option(flush, "--mark", "mark=", "With this ct_mark")->type_name("V[/M]");
  ct.add_option(flush, "--labels", "labels=", "With this ct_label")->type_name("0xV[/0xM]");
  ct.add_words(
      flush, "TUPLE",
      "Original, then reply: ct_nw_src=A,ct_nw_dst=A,ct_nw_proto=N,ct_tp_src=N,ct_tp_dst=N, "
      "any of them; nothing: all");
}

void add_limits(CtCommands& ct) {
  CLI::App& limits = ct.running("limits", "Most connections of zones", "dpctl/ct-get-limits");
  ct.add_option(limits, "--zones", "zone=", "Of these zones")->type_name("N[,N]...");
  ct.add_words(ct.running("set-limits", "Bound the connections of zones", "dpctl/ct-set-limits"),
               "LIMIT", "default=L or zone=N,limit=L; 0: no limit", true);
  ct.add_words(ct.running("del-limits", "Have the default limit for zones", "dpctl/ct-del-limits"),
               "ZONES", "zone=N[,N]...", true);
  ct.bounding("maxconns", "Most connections in all", "dpctl/ct-get-maxconns",
              "dpctl/ct-set-maxconns");
  ct.bounding("sweep-interval", "How long those whose time is over may stay, in milliseconds",
              "dpctl/ct-get-sweep-interval", "dpctl/ct-set-sweep-interval");
}

}  // namespace

void add_ct_commands(CLI::App& app, const AskOptions& options, std::vector<std::string>& words,
                     int& status) {
  CLI::App* group = app.add_subcommand("ct", "Tracked connections");
  group->require_subcommand(1);
  const auto ct = std::make_shared<CtCommands>(*group, options, words, status);
  group->add_subcommand("status", "How many, how many at most, and how many were refused")
      ->callback([&] { status = show(options, "hoist/ct", words, view_ct); });
  add_dumps(*ct);
  add_limits(*ct);
  CLI::App* check =
      group->add_subcommand("tcp-seq-chk", "Whether TCP sequence numbers are checked");
  ct->add_words(*check, "on|off", "Sets it");
  check->callback([ct, &options, &words, &status] {
    if (words.size() > 1 || (!words.empty() && words[0] != "on" && words[0] != "off")) {
      status = complain("tcp-seq-chk: want nothing, \"on\" or \"off\"");
      return;
    }
    const char* method = words.empty()      ? "dpctl/ct-get-tcp-seq-chk"
                         : words[0] == "on" ? "dpctl/ct-enable-tcp-seq-chk"
                                            : "dpctl/ct-disable-tcp-seq-chk";
    status = run(options, method, {});
  });
}

}  // namespace hoist::ctl
