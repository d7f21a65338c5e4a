// SPDX-License-Identifier: BSD-3-Clause
#include "daemon/connection_commands.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <asio/post.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "daemon/connection_json.hpp"
#include "daemon/connection_summary.hpp"
#include "text/connection_text.hpp"
#include "text/scan.hpp"

namespace hoist::ctl {
namespace {

constexpr std::size_t kMostWords = 8;

ConnectionFilter in_zone(std::optional<std::uint32_t> zone) {
  ConnectionFilter filter;
  if (zone) filter.zone = static_cast<std::uint16_t>(*zone);
  return filter;
}

void append_limit(std::string& out, const ZoneLimit& zone) {
  out += fmt::format("zone={},limit={},count={}\n", zone.zone, zone.limit, zone.count);
}

}  // namespace

void ConnectionCommands::add_all(CommandTable& table, asio::io_context& io,
                                 Connections& connections, Expectations* expectations) {
  const ConnectionCommands self(io, connections, expectations);
  self.add_looks(table);
  self.add_switches(table);
  self.add_bounds(table);
  self.add_limits(table);
}

void ConnectionCommands::in_steps(std::function<bool()> step, std::function<void()> done) const {
  if (!step()) return done();
  asio::post(io_, [self = *this, step = std::move(step), done = std::move(done)]() mutable {
    self.in_steps(std::move(step), std::move(done));
  });
}

Result<CommandTable::Pieces> ConnectionCommands::dump(const Arguments& arguments) const {
  const auto read = ConnectionArguments::read(arguments);
  if (!read) return tl::unexpected<Error>(read.error());
  const auto zone = read->only("zone", 65535);
  if (!zone) return tl::unexpected<Error>(zone.error());
  const text::ConnectionDetail detail{read->is_verbose, read->has_stats};
  return CommandTable::Pieces([&connections = connections_, filter = in_zone(*zone), detail,
                               cursor = Connections::Cursor{}](std::string& out) mutable {
    return connections.walk(cursor, kStepPlaces, filter, [&](const ConnectionReport& connection) {
      text::append_connection(out, connection, detail);
      out += '\n';
    });
  });
}

/// An array, made as its reader takes it.
Result<CommandTable::Pieces> ConnectionCommands::dump_json(const Arguments& arguments) const {
  const auto read = ConnectionArguments::read(arguments);
  if (!read) return tl::unexpected<Error>(read.error());
  const auto zone = read->only("zone", 65535);
  if (!zone) return tl::unexpected<Error>(zone.error());
  return CommandTable::Pieces([&connections = connections_, filter = in_zone(*zone),
                               cursor = Connections::Cursor{},
                               before = '['](std::string& out) mutable {
    const auto append = [&](const ConnectionReport& connection) {
      out.append(1, std::exchange(before, ',')).append(to_json(connection).dump());
    };
    if (connections.walk(cursor, kStepPlaces, filter, append)) return true;
    out += before == '[' ? "[]" : "]";
    return false;
  });
}

Result<std::string> ConnectionCommands::dump_expectations(const Arguments& arguments,
                                                          bool is_json) const {
  const auto read = ConnectionArguments::read(arguments);
  if (!read) return tl::unexpected<Error>(read.error());
  const auto zone = read->only("zone", 65535);
  if (!zone) return tl::unexpected<Error>(zone.error());
  std::optional<std::uint16_t> in;
  if (*zone) in = static_cast<std::uint16_t>(**zone);
  std::string out;
  nlohmann::json rows = nlohmann::json::array();
  const auto take = [&](const ExpectationReport& expectation) {
    if (is_json) return rows.push_back(to_json(expectation));
    text::append_expectation(out, expectation);
    out += '\n';
  };
  if (expectations_ != nullptr) expectations_->walk(in, take);
  return is_json ? rows.dump() : out;
}

void ConnectionCommands::flush(const Arguments& arguments,
                               const CommandTable::Answer& answer) const {
  const auto read = ConnectionArguments::read(arguments);
  if (!read) return answer(tl::unexpected<Error>(read.error()));
  const auto filter = read_connection_filter(read->words);
  if (!filter) return answer(tl::unexpected<Error>(filter.error()));
  if (const auto tuple = filter->whole_tuple()) {
    // As in Open vSwitch, a whole tuple without a zone is one of zone 0.
    if (connections_.flush_one(filter->zone.value_or(0), *tuple)) return answer("");
    return answer(dpctl_error("failed to flush conntrack", "No such file or directory"));
  }
  in_steps(
      [&connections = connections_, filter = *filter, cursor = Connections::Cursor{},
       flushed = std::uint64_t{0}]() mutable {
        return connections.flush(cursor, kStepPlaces, filter, flushed);
      },
      [answer] { answer(""); });
}

void ConnectionCommands::summarize(std::optional<std::uint32_t> zone, Connections::Visit visit,
                                   std::function<std::string()> text,
                                   const CommandTable::Answer& answer) const {
  in_steps(
      [&connections = connections_, filter = in_zone(zone), visit = std::move(visit),
       cursor = Connections::Cursor{}]() mutable {
        return connections.walk(cursor, kStepPlaces, filter, visit);
      },
      [answer, text = std::move(text)] { answer(text()); });
}

void ConnectionCommands::add_looks(CommandTable& table) const {
  const ConnectionCommands self = *this;
  table.add("dpctl/dump-conntrack",
            {"[-m] [-s] [dp] [zone=N]", 0, kMostWords, {}, [self](const Arguments& arguments) {
               return self.dump(arguments);
             }});
  table.add("hoist/ct/connections",
            {"[zone=N]", 0, kMostWords, {}, [self](const Arguments& arguments) {
               return self.dump_json(arguments);
             }});
  for (const bool is_json : {false, true}) {
    table.add_plain(is_json ? "hoist/ct/expectations" : "dpctl/dump-conntrack-exp", "[dp] [zone=N]",
                    0, kMostWords, [self, is_json](const Arguments& arguments) {
                      return self.dump_expectations(arguments, is_json);
                    });
  }
  table.add_plain("hoist/ct", "", 0, 0,
                  [self](const Arguments&) { return Text(status_of(self.connections_).dump()); });
  table.add("dpctl/flush-conntrack",
            {"[dp] [zone=N] [mark=X[/M]] [labels=X[/M]] [ct-orig-tuple] [ct-reply-tuple]", 0,
             kMostWords, [self](const Arguments& arguments, const CommandTable::Answer& answer) {
               self.flush(arguments, answer);
             }});
  table.add("dpctl/ct-stats-show",
            {"[-m] [dp] [zone=N]", 0, kMostWords,
             [self](const Arguments& arguments, const CommandTable::Answer& answer) {
               auto read = ConnectionArguments::read(arguments);
               if (!read) return answer(tl::unexpected<Error>(read.error()));
               const bool is_verbose = read->is_verbose || std::erase(read->words, "verbose") != 0;
               const auto zone = read->only("zone", 65535);
               if (!zone) return answer(tl::unexpected<Error>(zone.error()));
               const auto stats = std::make_shared<ConnectionStats>();
               self.summarize(
                   *zone, [stats](const ConnectionReport& connection) { stats->add(connection); },
                   [stats, is_verbose] { return stats->text(is_verbose); }, answer);
             }});
  table.add("dpctl/ct-bkts",
            {"[dp] [gt=N]", 0, kMostWords,
             [self](const Arguments& arguments, const CommandTable::Answer& answer) {
               const auto read = ConnectionArguments::read(arguments);
               if (!read) return answer(tl::unexpected<Error>(read.error()));
               const auto limit = read->only("gt", 0xffffffff);
               if (!limit) return answer(tl::unexpected<Error>(limit.error()));
               const auto buckets =
                   std::make_shared<ConnectionBuckets>(self.connections_.bucket_count());
               self.summarize(
                   std::nullopt,
                   [buckets](const ConnectionReport& connection) { buckets->add(connection); },
                   [buckets, limit = limit->value_or(0)] { return buckets->text(limit); }, answer);
             }});
}

void ConnectionCommands::add_switches(CommandTable& table) const {
  using Run = std::function<Text(Connections&)>;
  const auto add = [&](const std::string& name, const Run& run) {
    table.add_plain("dpctl/" + name, "[dp]", 0, kMostWords,
                    [&connections = connections_, run](const Arguments& arguments) -> Text {
                      const auto read = ConnectionArguments::read(arguments);
                      if (!read) return tl::unexpected<Error>(read.error());
                      if (!read->words.empty()) return dpctl_error("datapath not found");
                      return run(connections);
                    });
  };
  add("ct-get-nconns", [](Connections& c) { return fmt::format("{}\n", c.count()); });
  add("ct-get-maxconns", [](Connections& c) { return fmt::format("{}\n", c.max_connections()); });
  add("ct-get-tcp-seq-chk", [](Connections& c) {
    return fmt::format("TCP sequence checking: {}\n",
                       c.checks_tcp_sequence() ? "enabled" : "disabled");
  });
  add("ct-enable-tcp-seq-chk", [](Connections& c) {
    c.set_checks_tcp_sequence(true);
    return "enabling TCP sequence checking successful\n";
  });
  add("ct-disable-tcp-seq-chk", [](Connections& c) {
    c.set_checks_tcp_sequence(false);
    return "disabling TCP sequence checking successful\n";
  });
  add("ct-get-sweep-interval",
      [](Connections& c) { return fmt::format("{}\n", c.sweep_interval_ms()); });
}

void ConnectionCommands::add_bounds(CommandTable& table) const {
  using Set = std::function<Result<void>(Connections&, std::uint32_t)>;
  const auto add = [&](const std::string& name, const std::string& what, const Set& set) {
    table.add_plain("dpctl/ct-set-" + name, "[dp] " + what, 1, kMostWords,
                    [&connections = connections_, what, set](const Arguments& arguments) -> Text {
                      const auto read = ConnectionArguments::read(arguments);
                      if (!read) return tl::unexpected<Error>(read.error());
                      if (read->words.size() > 1) return dpctl_error("datapath not found");
                      const auto value =
                          read->words.empty() ? std::nullopt : text::to_number(read->words.back());
                      if (!value || *value > 0xffffffff) {
                        return dpctl_error(what + " missing or malformed");
                      }
                      const auto done = set(connections, static_cast<std::uint32_t>(*value));
                      if (done) return "setting " + what + " successful\n";
                      return dpctl_error("failed to set " + what + ": " + done.error().message);
                    });
  };
  add("maxconns", "maxconns",
      [](Connections& c, std::uint32_t value) { return c.set_max_connections(value); });
  add("sweep-interval", "sweep interval", [](Connections& c, std::uint32_t value) -> Result<void> {
    if (value == 0) return failure(Errc::kInvalidArgument, "must not be 0");
    c.set_sweep_interval_ms(value);
    return {};
  });
}

Result<std::string> ConnectionCommands::limits_text(const ConnectionArguments& arguments) const {
  std::vector<ZoneLimit> rows;
  if (arguments.words.empty()) {
    rows = connections_.zone_limits();
  } else {
    const auto zones = read_zones(arguments.words.back());
    if (!zones) return tl::unexpected<Error>(zones.error());
    for (const std::uint16_t zone : *zones) rows.push_back(connections_.zone_limit(zone));
  }
  std::string out = fmt::format("default limit={}\n", connections_.default_limit());
  for (const ZoneLimit& row : rows) append_limit(out, row);
  return out;
}

void ConnectionCommands::add_limits(CommandTable& table) const {
  const ConnectionCommands self = *this;
  const auto add = [&](const std::string& name, const char* usage, std::size_t least,
                       std::function<Text(const ConnectionArguments&)> run) {
    table.add_plain("dpctl/" + name, usage, least, 1024,
                    [run = std::move(run)](const Arguments& arguments) -> Text {
                      const auto read = ConnectionArguments::read(arguments);
                      if (!read) return tl::unexpected<Error>(read.error());
                      return run(*read);
                    });
  };
  add("ct-get-limits", "[dp] [zone=N1[,N2]...]", 0,
      [self](const ConnectionArguments& arguments) { return self.limits_text(arguments); });
  add("ct-set-limits", "[dp] [default=L] [zone=N,limit=L]...", 1,
      [self](const ConnectionArguments& arguments) -> Text {
        const auto changes = read_limits(arguments.words);
        if (!changes) return tl::unexpected<Error>(changes.error());
        if (changes->default_limit) self.connections_.set_default_limit(*changes->default_limit);
        for (const ZoneLimit& zone : changes->zones) {
          self.connections_.set_zone_limit(zone.zone, zone.limit);
        }
        return "";
      });
  add("ct-del-limits", "[dp] zone=N1[,N2]...", 1,
      [self](const ConnectionArguments& arguments) -> Text {
        if (arguments.words.empty()) return dpctl_error("invalid argument");
        const auto zones = read_zones(arguments.words.back());
        if (!zones) return tl::unexpected<Error>(zones.error());
        for (const std::uint16_t zone : *zones) self.connections_.set_zone_limit(zone, {});
        return "";
      });
}

}  // namespace hoist::ctl
