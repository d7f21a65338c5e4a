// SPDX-License-Identifier: BSD-3-Clause
#include "rpc/rpc_message.hpp"

#include <nlohmann/json.hpp>

namespace hoist::ctl {
namespace {

using Json = nlohmann::json;

/// Output may hold any bytes (a port's name): what is no UTF-8 is replaced, not refused.
std::string dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

Result<RpcRequest> RpcRequest::parse(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object() || !json.contains("method") || !json["method"].is_string()) {
    return failure(Errc::kInvalidArgument, "not a JSON-RPC request");
  }
  RpcRequest request;
  request.id_json = json.contains("id") ? dump(json["id"]) : "null";
  request.method = json["method"].get<std::string>();
  if (!json.contains("params")) return request;
  if (!json["params"].is_array()) return failure(Errc::kInvalidArgument, "params is no array");
  for (const Json& param : json["params"]) {
    if (!param.is_string()) return failure(Errc::kInvalidArgument, "a parameter is no string");
    request.params.push_back(param.get<std::string>());
  }
  return request;
}

std::string RpcRequest::to_text() const {
  return dump(
      Json{{"id", Json::parse(id_json, nullptr, false)}, {"method", method}, {"params", params}});
}

std::string rpc_reply(std::string_view id_json, const Result<std::string>& result) {
  Json reply{{"id", Json::parse(id_json, nullptr, false)}, {"error", nullptr}, {"result", nullptr}};
  if (result) {
    reply["result"] = *result;
  } else {
    // unixctl's clients print an error as it is, so it ends its own line.
    reply["error"] = result.error().message + "\n";
  }
  return dump(reply);
}

std::string rpc_reply_head(std::string_view id_json) {
  return std::string("{\"error\":null,\"id\":").append(id_json).append(",\"result\":\"");
}

std::string rpc_reply_piece(std::string_view text) {
  const std::string quoted = dump(Json(text));
  return quoted.substr(1, quoted.size() - 2);
}

std::string_view rpc_reply_tail() noexcept { return "\"}"; }

Result<std::string> parse_rpc_reply(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return failure(Errc::kIo, "not a JSON-RPC reply");
  if (const auto error = json.find("error"); error != json.end() && !error->is_null()) {
    std::string words = error->is_string() ? error->get<std::string>() : dump(*error);
    while (!words.empty() && words.back() == '\n') words.pop_back();
    return failure(Errc::kInvalidArgument, std::move(words));
  }
  const auto result = json.find("result");
  if (result == json.end() || !result->is_string()) return std::string();
  return result->get<std::string>();
}

}  // namespace hoist::ctl
