// SPDX-License-Identifier: BSD-3-Clause
// Any bytes as the payload of a segment of an FTP session: what is read must make sense, can be
// spelled again, and leaves a sound packet when its address is rewritten.
#include <cstdlib>
#include <string>

#include "conntrack/ftp_message.hpp"
#include "conntrack/packet_facts.hpp"
#include "conntrack/rewrite_payload.hpp"
#include "support/test_mbuf.hpp"

namespace {

using namespace hoist;
using namespace hoist::software;

void require(bool holds) {
  if (!holds) std::abort();
}

std::string spelled_with(std::string text, const FtpMessage& message, std::string_view address) {
  return text.replace(message.address_offset, message.address_size, address);
}

void check_same(const FtpMessage& message, const std::string& again) {
  // A longer address may push the port out of sight.
  const auto read = read_ftp_message(again);
  if (!read) return require(again.size() > 100);
  require(read->kind == message.kind && read->port == message.port &&
          read->family == message.family && read->address == message.address);
}

void check_rewritten(const test::Bytes& payload, const FtpMessage& message,
                     std::string_view address) {
  const test::Bytes frame =
      test::Packet().eth().ipv4().tcp().payload(payload).pad_to(54 + payload.size() + 60).bytes();
  test::TestMbuf packet(frame);
  FlowKey key{};
  Layers layers = parse(*packet, PortNo{1}, key);
  require(layers.l4_size == 20 + payload.size());
  const FrameRange range{54u + message.address_offset, message.address_size};
  require(rewrite_payload(*packet, layers, range, address));
  require(layers == parse(*packet, PortNo{1}, key));
  require(packet_facts(*packet, layers, 0).is_sound);
  const std::string before(payload.begin(), payload.end());
  const auto* at = rte_pktmbuf_mtod_offset(&*packet, const char*, 54);
  require(spelled_with(before, message, address) == std::string(at, layers.l4_size - 20u));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto* text = reinterpret_cast<const char*>(data);
  const auto message = read_ftp_message({text, size});
  if (!message) return 0;
  require(message->port != 0);
  require(std::size_t{message->address_offset} + message->address_size <= size);
  if (message->family == 0 || size > 1400) return 0;
  const FtpAddress address(message->kind, message->family, message->address);
  check_same(*message, spelled_with(std::string(text, size), *message, address.text()));
  check_rewritten(test::Bytes(data, data + size), *message, address.text());
  return 0;
}
