// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "rpc/command_table.hpp"
#include "rpc/json_stream.hpp"
#include "rpc/rpc_message.hpp"

namespace hoist::ctl {
namespace {

TEST(JsonStreamTest, CutsTextsThatFollowEachOtherWithoutSeparators) {
  JsonStream stream;
  stream.feed(R"({"a":"}\"{"}[1,{"b":[]}]  {)");
  EXPECT_EQ(stream.next(), R"({"a":"}\"{"})");
  EXPECT_EQ(stream.next(), R"([1,{"b":[]}])");
  EXPECT_EQ(stream.next(), std::nullopt);
  EXPECT_FALSE(stream.is_broken());
}

TEST(JsonStreamTest, TextMayComeByteByByte) {
  const std::string text = R"({"method":"x\\","params":["\""],"id":0})";
  JsonStream stream;
  for (std::size_t i = 0; i < text.size(); ++i) {
    EXPECT_EQ(stream.next(), std::nullopt);
    stream.feed(text.substr(i, 1));
  }
  EXPECT_EQ(stream.next(), text);
}

TEST(JsonStreamTest, WhatStartsNoTextBreaksTheStream) {
  JsonStream stream;
  stream.feed("GET / HTTP/1.1");
  EXPECT_EQ(stream.next(), std::nullopt);
  EXPECT_TRUE(stream.is_broken());
}

TEST(RpcMessageTest, RequestsAreReadAndWritten) {
  const auto request = RpcRequest::parse(R"({"id":3,"method":"fdb/show","params":["br0"]})");
  ASSERT_TRUE(request);
  EXPECT_EQ(request->id_json, "3");
  EXPECT_EQ(request->params, std::vector<std::string>{"br0"});
  EXPECT_EQ(RpcRequest::parse(request->to_text())->method, "fdb/show");
}

TEST(RpcMessageTest, WrongRequestsAreRefused) {
  EXPECT_FALSE(RpcRequest::parse("[]"));
  EXPECT_FALSE(RpcRequest::parse(R"({"method":1})"));
  EXPECT_FALSE(RpcRequest::parse(R"({"method":"a","params":{}})"));
  EXPECT_FALSE(RpcRequest::parse(R"({"method":"a","params":[1]})"));
}

TEST(RpcMessageTest, RepliesCarryAResultOrAnError) {
  EXPECT_EQ(rpc_reply("0", std::string("x\n")), R"({"error":null,"id":0,"result":"x\n"})");
  const auto error = parse_rpc_reply(rpc_reply("0", failure(Errc::kNotFound, "no such bridge")));
  ASSERT_FALSE(error);
  EXPECT_EQ(error.error().message, "no such bridge");
}

TEST(RpcMessageTest, BytesThatAreNoTextDoNotThrow) {
  EXPECT_NE(rpc_reply("0", std::string("\xff\xfe")).find("result"), std::string::npos);
}

TEST(RpcMessageTest, PiecesMakeTheSameReply) {
  const std::string text = "a \"b\"\n\xff";
  std::string whole = rpc_reply_head("7");
  whole += rpc_reply_piece(text.substr(0, 3));
  whole += rpc_reply_piece(text.substr(3));
  whole += rpc_reply_tail();
  EXPECT_EQ(whole, rpc_reply("7", text));
}

TEST(CommandTableTest, PiecesComeWholeWhereNobodyStreams) {
  CommandTable table;
  table.add("count", {"", 0, 0, {}, [](const std::vector<std::string>&) {
                        return Result<CommandTable::Pieces>([n = 0](std::string& out) mutable {
                          out += std::to_string(n);
                          return ++n < 3;
                        });
                      }});
  std::string got;
  table.run("count", {}, [&](const Result<std::string>& r) { got = r.value_or(""); });
  EXPECT_EQ(got, "012");
}

TEST(CommandTableTest, ArgumentsAreCounted) {
  CommandTable table;
  table.add_plain("one", "X", 1, 1,
                  [](const std::vector<std::string>& a) { return Result<std::string>(a[0]); });
  Result<std::string> got;
  const auto keep = [&](Result<std::string> r) { got = std::move(r); };
  table.run("one", {"x"}, keep);
  EXPECT_EQ(got.value_or(""), "x");
  table.run("one", {}, keep);
  EXPECT_FALSE(got);
  table.run("two", {}, keep);
  EXPECT_EQ(got.error().message, "\"two\" is not a valid command");
}

}  // namespace
}  // namespace hoist::ctl
