// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "text/meter_text.hpp"

namespace hoist::text {
namespace {

TEST(MeterTextTest, ReadsWhatOvsOfctlReads) {
  const auto meter =
      parse_meter("meter=7,kbps,burst,stats,bands=type=drop,rate=1000,burst_size=50");
  ASSERT_TRUE(meter) << meter.error().message;
  EXPECT_EQ(meter->id, MeterId{7});
  EXPECT_EQ(meter->flags, MeterConfig::kKbps | MeterConfig::kBurst | MeterConfig::kStats);
  ASSERT_EQ(meter->bands.size(), 1u);
  EXPECT_EQ(meter->bands[0], (MeterBand{.rate = 1000, .burst_size = 50}));
}

TEST(MeterTextTest, EachTypeBeginsABand) {
  const auto meter = parse_meter(
      "meter=controller pktps band=type=dscp_remark rate=10 prec_level=2 type=drop rate=20");
  ASSERT_TRUE(meter) << meter.error().message;
  EXPECT_EQ(meter->id, MeterId::kController);
  ASSERT_EQ(meter->bands.size(), 2u);
  EXPECT_EQ(meter->bands[0].prec_level, 2);
  EXPECT_EQ(meter->bands[1].rate, 20u);
}

TEST(MeterTextTest, AccountingCanBeChosen) {
  const auto meter = parse_meter("meter=1,kbps,accounting=layer1,bands=type=drop,rate=1");
  ASSERT_TRUE(meter) << meter.error().message;
  EXPECT_EQ(meter->accounting, MeterConfig::Accounting::kLayer1);
}

TEST(MeterTextTest, ErrorsNameColumnAndWord) {
  const auto message = [](std::string_view text) {
    const auto meter = parse_meter(text);
    return meter ? "" : meter.error().message;
  };
  EXPECT_EQ(message("meter=0,kbps"), "column 7, \"0\": not a meter's number");
  EXPECT_EQ(message("meter=1,kbps,bands=type=throw"),
            "column 25, \"throw\": neither drop nor dscp_remark");
  EXPECT_EQ(message("meter=1,rate=3"), "column 9, \"rate=3\": not a flag, and no band has begun");
  EXPECT_NE(message("meter=1,kbps,bands=type=drop"), "");
  EXPECT_NE(message("meter=1,kbps,pktps,bands=type=drop,rate=1"), "");
  EXPECT_NE(message("kbps,bands=type=drop,rate=1"), "");
}

}  // namespace
}  // namespace hoist::text
