// SPDX-License-Identifier: BSD-3-Clause
#include "openflow/session.hpp"

#include <bit>
#include <utility>

namespace hoist::openflow {
namespace {

constexpr std::uint16_t kDefaultMissSendLen = 128;
/// OFPC_FRAG_MASK and nothing else may be set.
constexpr std::uint16_t kConfigFlagsKnown = 0x3 | 1u << 2;

std::uint32_t next_session_id() {
  static std::uint32_t last = 0;  // Control thread alone.
  return ++last;
}

}  // namespace

Session::Session(Bridge& bridge, Options options)
    : bridge_(bridge),
      options_(options),
      id_(next_session_id()),
      miss_send_len_(options.is_service ? 0 : kDefaultMissSendLen) {
  const auto highest = static_cast<Version>(std::bit_width(options_.versions) - 1);
  encode(output_, Envelope{highest, 0}, Hello{options_.versions});
  bridge_.add_session(*this);
}

Session::~Session() {
  monitors_ = {};
  bridge_.remove_session(*this);
}

std::size_t Session::receive(std::span<const std::uint8_t> bytes) {
  std::size_t done = 0;
  while (!is_waiting() && !is_congested() && close_reason_.empty()) {
    const std::span<const std::uint8_t> rest = bytes.subspan(done);
    const std::optional<Header> header = Header::read(rest);
    if (!header) break;
    if (header->length < Header::kSize) {
      close_reason_ = "broken stream: a message of " + std::to_string(header->length) + " bytes";
      break;
    }
    if (rest.size() < header->length) break;
    take_message(*header, rest.first(header->length));
    done += header->length;
  }
  bridge_.flush();
  return done;
}

Session::Progress Session::advance() {
  if (!waiting_) return Progress::kDone;
  const Progress progress = waiting_();
  if (progress == Progress::kDone) waiting_ = nullptr;
  return progress;
}

void Session::wait_for(Task task) {
  waiting_ = std::move(task);
  waiting_since_ = std::chrono::steady_clock::now();
  advance();
}

void Session::with_fresh_counters(Task then) {
  const FlowManager::Sequence refresh = bridge_.planes().refresh();
  wait_for([this, refresh, then = std::move(then), is_fresh = false]() mutable {
    is_fresh = is_fresh || bridge_.planes().is_fresh(refresh);
    return is_fresh ? then() : Progress::kBlocked;
  });
}

void Session::take_message(const Header& header, std::span<const std::uint8_t> message) {
  const Context at{header.xid, message};
  if (is_greeted_ && header.version != static_cast<std::uint8_t>(version_)) {
    return refuse(at, {ErrorName::kBadVersion, "not the version agreed on"});
  }
  auto request = decode(message, dialect());
  if (!request) {
    if (!is_greeted_) {
      close_reason_ = "no hello but " + std::string(type_name(header));
      return;
    }
    return encode_error(output_, to(at), request.error(), message);
  }
  if (const auto* hello = std::get_if<Hello>(&*request)) return greet(*hello);
  if (!is_greeted_) {
    if (const auto* error = std::get_if<ErrorMessage>(&*request)) {
      close_reason_ = "peer answered our hello with an error: " + error->error.detail;
    } else {
      close_reason_ = "no hello but " + std::string(type_name(header));
    }
    return;
  }
  if (auto* mod = std::get_if<FlowMod>(&*request)) {
    if (Decoded<void> result = handle(std::move(*mod), at); !result) refuse(at, result.error());
    return;
  }
  if (auto* mod = std::get_if<MeterMod>(&*request)) {
    if (Decoded<void> result = handle(std::move(*mod), at); !result) refuse(at, result.error());
    return;
  }
  bridge_.flush();
  dispatch(*request, at);
}

void Session::greet(const Hello& hello) {
  if (is_greeted_) return;
  const std::uint32_t common = hello.version_bitmap & options_.versions;
  if (common == 0) {
    refuse({0, {}}, {ErrorName::kHelloIncompatible, "no common OpenFlow version"});
    close_reason_ = "no OpenFlow version in common";
    return;
  }
  version_ = static_cast<Version>(std::bit_width(common) - 1);
  is_greeted_ = true;
  bridge_.wishes_changed();
}

void Session::dispatch(const Request& request, const Context& at) {
  const Decoded<void> result =
      std::visit([&](const auto& message) { return handle(message, at); }, request);
  if (!result) refuse(at, result.error());
}

void Session::refuse(const Context& at, const Fault& fault) {
  encode_error(output_, to(at), to_wire(fault, version_), at.bytes);
}

Decoded<void> Session::forbid_slave() const {
  if (role_ == Role::kSlave) return fault(ErrorName::kIsSlave, "a slave may only read");
  return {};
}

void Session::send_echo_request() {
  if (is_greeted_) encode(output_, Envelope{version_, 0}, EchoRequest{});
}

Decoded<void> Session::handle(const Hello& /*hello*/, const Context& /*at*/) { return {}; }
Decoded<void> Session::handle(const EchoReply& /*echo*/, const Context& /*at*/) { return {}; }
Decoded<void> Session::handle(const ErrorMessage& /*error*/, const Context& /*at*/) { return {}; }

Decoded<void> Session::handle(const EchoRequest& echo, const Context& at) {
  encode(output_, to(at), EchoReply{echo.data});
  return {};
}

Decoded<void> Session::handle(const FeaturesRequest& /*request*/, const Context& at) {
  FeaturesReply reply{.datapath_id = bridge_.config().datapath_id, .n_tables = kTableCount};
  if (version_ == Version::kOf10) reply.ports = bridge_.ports();
  encode(output_, to(at), reply);
  return {};
}

Decoded<void> Session::handle(const GetConfigRequest& /*request*/, const Context& at) {
  encode(output_, to(at), GetConfigReply{config_flags_, miss_send_len_});
  return {};
}

Decoded<void> Session::handle(const SetConfig& config, const Context& /*at*/) {
  if ((config.flags & ~kConfigFlagsKnown) != 0) {
    return fault(ErrorName::kSwitchConfigBadFlags, "unknown switch configuration flags");
  }
  // Fragments are matched as they are (OFPC_FRAG_NORMAL), whatever is asked: what is asked is not
  // echoed, so that a controller can see it.
  miss_send_len_ = config.miss_send_len;
  bridge_.wishes_changed();
  return {};
}

Decoded<void> Session::handle(const BarrierRequest& /*barrier*/, const Context& at) {
  const Stamp stamp = bridge_.planes().last();
  wait_for([this, stamp, reply_to = to(at)] {
    const Planes& planes = bridge_.planes();
    if (!planes.has_hardware(stamp)) return Progress::kBlocked;
    if (!planes.datapath().is_settled(stamp.version)) return Progress::kSoon;
    encode_barrier_reply(output_, reply_to);
    return Progress::kDone;
  });
  return {};
}

Decoded<void> Session::handle(const DescRequest& /*request*/, const Context& at) {
  encode(output_, to(at),
         Description{.manufacturer = "hoist",
                     .hardware = "DPDK",
                     .software = HOIST_VERSION,
                     .serial = "None",
                     .datapath = bridge_.config().name});
  return {};
}

Decoded<void> Session::handle(const NxSetFlowFormat& request, const Context& /*at*/) {
  if (request.format != 0 && request.format != 2) {
    return fault(ErrorName::kPermission, "unknown flow format");
  }
  is_nxm_ = request.format == 2;
  return {};
}

Decoded<void> Session::handle(const NxFlowModTableId& request, const Context& /*at*/) {
  has_flow_mod_table_id_ = request.is_set;
  return {};
}

}  // namespace hoist::openflow
