// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hoist/error.hpp"

namespace hoist::ctl {

/// One JSON-RPC 1.0 request as OVS's unixctl sends it: `{"method": "version", "params": [], "id":
/// 0}`.
struct RpcRequest {
  std::string id_json;  ///< Echoed as it came.
  std::string method;
  std::vector<std::string> params;

  /// Fails with kInvalidArgument.
  static Result<RpcRequest> parse(std::string_view text);
  [[nodiscard]] std::string to_text() const;
};

/// The reply's text: result a string and error null, or the other way round.
[[nodiscard]] std::string rpc_reply(std::string_view id_json, const Result<std::string>& result);
/// The same for a result in pieces: head, any number of pieces, tail.
[[nodiscard]] std::string rpc_reply_head(std::string_view id_json);
[[nodiscard]] std::string rpc_reply_piece(std::string_view text);
[[nodiscard]] std::string_view rpc_reply_tail() noexcept;
/// What a reply says; the peer's error comes as kInvalidArgument with its own words.
[[nodiscard]] Result<std::string> parse_rpc_reply(std::string_view text);

}  // namespace hoist::ctl
