// SPDX-License-Identifier: BSD-3-Clause
#include "daemon/fragment_commands.hpp"

#include <spdlog/fmt/fmt.h>

#include <optional>
#include <string>
#include <vector>

#include "daemon/connection_arguments.hpp"
#include "text/scan.hpp"

namespace hoist::ctl {
namespace {

using Words = std::vector<std::string>;
using Text = Result<std::string>;
constexpr std::string_view kRefused = "Operation not permitted";

std::optional<bool> read_is_ipv6(const std::string& word) {
  if (word == "v4") return false;
  if (word == "v6") return true;
  return std::nullopt;
}

std::optional<std::uint32_t> read_number(const std::string& word) {
  const auto number = text::to_number(word);
  if (!number || *number > 0xffffffff) return std::nullopt;
  return static_cast<std::uint32_t>(*number);
}

Text set_enabled(Fragments& fragments, const Words& words, bool is_enabled) {
  const auto is_ipv6 = read_is_ipv6(words.back());
  if (!is_ipv6) return dpctl_error("parameter missing: 'v4' for IPv4 or 'v6' for IPv6");
  fragments.set_enabled(*is_ipv6, is_enabled);
  return fmt::format("{} fragmentation reassembly successful",
                     is_enabled ? "enabling" : "disabling");
}

Text set_min_size(Fragments& fragments, const Words& words) {
  const auto is_ipv6 = read_is_ipv6(words[words.size() - 2]);
  if (!is_ipv6) return dpctl_error("parameter missing: v4 for IPv4 or v6 for IPv6");
  const auto bytes = read_number(words.back());
  if (!bytes) return dpctl_error("parameter missing for minimum fragment size");
  if (!fragments.set_min_size(*is_ipv6, *bytes)) {
    return dpctl_error("requested minimum fragment size too small; see documentation", kRefused);
  }
  return "setting minimum fragment size successful";
}

Text set_max_held(Fragments& fragments, const Words& words) {
  const auto most = read_number(words.back());
  if (!most) return dpctl_error("parameter missing for maximum fragments");
  if (!fragments.set_max_held(*most))
    return dpctl_error("setting maximum fragments failed", kRefused);
  return "setting maximum fragments successful";
}

void append_counts(std::string& out, const char* name, const FragmentFamilyReport& f) {
  constexpr const char* kIndent = "        ";
  const auto line = [&](const char* what, std::uint64_t count) {
    out += fmt::format("{}{} frags {}: {}\n", kIndent, name, what, count);
  };
  out += fmt::format("{}min {} frag size: {}\n", kIndent, name, f.min_size);
  line("accepted", f.accepted);
  line("completed", f.completed);
  line("expired", f.expired);
  line("too small", f.too_small);
  line("overlapped", f.overlapping);
  line("purged", f.purged);
}

Text status(Fragments& fragments) {
  const FragmentReport report = fragments.report();
  std::string out = fmt::format(
      "        Fragmentation Module Status\n"
      "        ---------------------------\n"
      "        v4 enabled: {:d}\n"
      "        v6 enabled: {:d}\n"
      "        max num frags (v4/v6): {}\n"
      "        num frag: {}\n",
      report.families[0].is_enabled, report.families[1].is_enabled, report.max_held, report.held);
  append_counts(out, "v4", report.families[0]);
  append_counts(out, "v6", report.families[1]);
  return out;
}

}  // namespace

void add_fragment_commands(CommandTable& table, Fragments& fragments) {
  struct Command {
    const char* name;
    const char* usage;
    std::size_t words;  ///< Without options and the datapath's name.
    std::function<Text(const Words&)> run;
  };
  const Command commands[] = {
      {"ipf-set-enabled", "[dp] v4|v6", 1,
       [&fragments](const Words& words) { return set_enabled(fragments, words, true); }},
      {"ipf-set-disabled", "[dp] v4|v6", 1,
       [&fragments](const Words& words) { return set_enabled(fragments, words, false); }},
      {"ipf-set-min-frag", "[dp] v4|v6 minfragment", 2,
       [&fragments](const Words& words) { return set_min_size(fragments, words); }},
      {"ipf-set-max-nfrags", "[dp] maxfrags", 1,
       [&fragments](const Words& words) { return set_max_held(fragments, words); }},
      {"ipf-get-status", "[dp]", 0, [&fragments](const Words&) { return status(fragments); }}};
  constexpr std::size_t kOthers = 2;  // The datapath's name, and an option.
  for (const Command& c : commands) {
    table.add_plain(std::string("dpctl/") + c.name, c.usage, c.words, c.words + kOthers,
                    [c](const Words& arguments) -> Text {
                      const auto read = ConnectionArguments::read(arguments);
                      if (!read) return tl::unexpected<Error>(read.error());
                      if (read->words.size() != c.words) return dpctl_error("datapath not found");
                      return c.run(read->words);
                    });
  }
}

}  // namespace hoist::ctl
