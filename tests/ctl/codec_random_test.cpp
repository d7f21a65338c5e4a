// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <random>

#include "openflow/check.hpp"
#include "recorded_messages.hpp"
#include "text/flow_text.hpp"

namespace hoist::test {
namespace {

using namespace openflow;

/// Random flow mods that make sense: every field has its prerequisites.
class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed) {}

  FlowMod flow_mod() {
    FlowMod mod;
    mod.priority = static_cast<std::uint16_t>(random_());
    mod.cookie = random_();
    mod.idle_timeout = static_cast<std::uint16_t>(random_());
    mod.table_id = static_cast<std::uint8_t>(random_() % 200);
    choose_layers(mod.match);
    for (const Field& f : kFields) {
      if (one_in(4)) demand(mod.match, f);
    }
    for (std::size_t n = random_() % 4; n > 0; --n) add_set_field(mod);
    mod.instructions.apply_actions.push_back(
        OutputAction{PortNo{1 + static_cast<std::uint32_t>(random_() % 99)}, 0});
    if (one_in(2))
      mod.instructions.goto_table = static_cast<std::uint8_t>(mod.table_id + 1 + random_() % 50);
    return mod;
  }

 private:
  bool one_in(unsigned n) { return random_() % n == 0; }

  void exactly(Match& match, FieldId id, std::uint64_t v) {
    const Field& f = field(id);
    set_field(match.value, f, field_value(v), full_mask(f));
    set_field(match.mask, f, full_mask(f), full_mask(f));
  }
  void choose_layers(Match& match) {
    constexpr std::uint16_t kTypes[] = {0x0800, 0x86dd, 0x0806, 0x8847, 0x1234};
    constexpr std::uint8_t kProtos[] = {6, 17, 132, 1, 58, 47};
    if (one_in(2)) exactly(match, FieldId::kVlanVid, kVlanPresent | random_() % 4096);
    if (one_in(8)) return;
    const std::uint16_t type = kTypes[random_() % std::size(kTypes)];
    exactly(match, FieldId::kEthType, type);
    if ((type == 0x0800 || type == 0x86dd) && !one_in(4)) {
      exactly(match, FieldId::kIpProto, kProtos[random_() % std::size(kProtos)]);
    }
  }

  FieldValue bits(const Field& f, const FieldValue& under) {
    FieldValue out{};
    for (std::size_t i = 0; i < 16; ++i) out[i] = static_cast<std::uint8_t>(random_()) & under[i];
    if (f.display == Display::kPort) out = field_value(1 + random_() % 60000);
    if (f.id == FieldId::kIpTos) out[15] &= 0xfc;
    if (f.id == FieldId::kCtState) out = field_value(out[15]);
    return out;
  }
  /// Fields said with other fields, or that do not travel in all versions, are left alone.
  static bool is_left_out(const Field& f) {
    return f.id == FieldId::kVlanTci || f.id == FieldId::kVlanVid || f.id == FieldId::kVlanPcp ||
           f.id == FieldId::kEthType || f.id == FieldId::kIpProto || f.id == FieldId::kIpTos ||
           f.id == FieldId::kIpFrag || f.id == FieldId::kIpv6Exthdr ||
           (f.id >= FieldId::kXreg0 && f.id <= FieldId::kXxreg3);
  }
  void demand(Match& match, const Field& f) {
    if (is_left_out(f) || !is_satisfied(f.prerequisite, match)) return;
    if (get_field(match.mask, f) != FieldValue{}) return;
    FieldValue mask = full_mask(f);
    if (f.is_maskable && one_in(2)) mask = bits(f, mask);
    const FieldValue value = bits(f, mask);
    set_field(match.value, f, value, mask);
    set_field(match.mask, f, mask, mask);
  }
  void add_set_field(FlowMod& mod) {
    const Field& f = kFields[random_() % kFields.size()];
    if (is_left_out(f) || !f.is_writable || !is_satisfied(f.prerequisite, mod.match)) return;
    if (f.id == FieldId::kInPort || f.id == FieldId::kIcmpv6Type) return;
    if (f.id == FieldId::kCtMark || f.id == FieldId::kCtLabel) return;  // only inside ct
    mod.instructions.apply_actions.push_back(
        SetFieldAction{f.id, SetFieldAction::Form::kSetField, bits(f, full_mask(f)), full_mask(f)});
  }

  std::mt19937_64 random_;
};

class RandomFlowModTest : public testing::TestWithParam<Version> {};

TEST_P(RandomFlowModTest, ComesBackEqual) {
  Generator generator(to_integer(GetParam()));
  for (int i = 0; i < 3000; ++i) {
    const FlowMod mod = generator.flow_mod();
    const auto again = decode_exactly(flow_mod_message(mod, GetParam()), {GetParam(), true});
    ASSERT_TRUE(again) << i << ": " << again.error().detail << ": "
                       << text::format_match(MiniMatch(mod.match));
    const FlowMod& got = std::get<FlowMod>(*again);
    ASSERT_EQ(got.match, mod.match) << text::format_match(MiniMatch(mod.match)) << "\n"
                                    << text::format_match(MiniMatch(got.match));
    EXPECT_EQ(got.priority, mod.priority);
    EXPECT_EQ(got.cookie, mod.cookie);
    EXPECT_EQ(got.table_id, mod.table_id);
    if (GetParam() != Version::kOf10) {
      ASSERT_EQ(got.instructions, mod.instructions);
    }
  }
}

TEST_P(RandomFlowModTest, ReadsItsOwnText) {
  Generator generator(100u + to_integer(GetParam()));
  for (int i = 0; i < 1000; ++i) {
    const FlowMod mod = generator.flow_mod();
    const std::string line = text::format_match(MiniMatch(mod.match)) +
                             " actions=" + text::format_instructions(mod.instructions);
    const auto parsed = text::parse_flow(line);
    ASSERT_TRUE(parsed) << parsed.error().message << "\n" << line;
    ASSERT_EQ(parsed->match, mod.match) << line;
    ASSERT_EQ(parsed->instructions, mod.instructions) << line;
  }
}

INSTANTIATE_TEST_SUITE_P(Versions, RandomFlowModTest,
                         testing::Values(Version::kOf10, Version::kOf13, Version::kOf14));

TEST(MutatedMessageTest, IsDecodedOrRefusedWithinItsBytes) {
  std::mt19937_64 random(7);
  for (const char* file : {"ofctl_flow_mods.txt", "ofctl_requests.txt"}) {
    for (const Recorded& r : recorded_messages(file)) {
      for (int i = 0; i < 60; ++i) {
        Bytes bytes = r.bytes;
        for (std::size_t n = 1 + random() % 3; n > 0; --n) {
          const std::size_t at = 8 + random() % (bytes.size() - 7) - 1;
          bytes[at] = static_cast<std::uint8_t>(random());
        }
        bytes[2] = static_cast<std::uint8_t>(bytes.size() >> 8);
        bytes[3] = static_cast<std::uint8_t>(bytes.size());
        (void)decode_exactly(bytes, r.dialect);
      }
    }
  }
}

}  // namespace
}  // namespace hoist::test
