// SPDX-License-Identifier: BSD-3-Clause
#include "cache/flow_cache.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>

namespace hoist::software {
namespace {

ClassMask full_class_mask(std::uint32_t id) {
  ClassMask mask;
  std::fill_n(mask.window.begin(), 48, std::uint8_t{0xff});
  mask.wide.fill(~std::uint64_t{0});
  mask.id = id;
  return mask;
}

TEST(FlowCacheTest, FindsWhatWasPutInAndNothingElse) {
  FlowCache cache = *FlowCache::create(1024);
  const ClassMask mask = full_class_mask(7);
  std::array<std::uint8_t, 64> frame{};
  WindowKey key;
  for (std::uint8_t i = 0; i < 100; ++i) {
    frame[0] = i;
    const std::uint32_t hash = FlowCache::make_key(frame.data(), mask, 5, key);
    EXPECT_EQ(cache.find_any(key, hash), nullptr);
    cache.insert(key, hash, {i, 1});
    ASSERT_NE(cache.find_any(key, hash), nullptr);
    EXPECT_EQ(cache.find_any(key, hash)->segment.index, i);
  }
}

TEST(FlowCacheTest, BytesOutsideTheMaskDoNotCount) {
  FlowCache cache = *FlowCache::create(64);
  ClassMask mask = full_class_mask(7);
  mask.window[40] = 0;
  std::array<std::uint8_t, 64> frame{};
  WindowKey key;
  std::uint32_t hash = FlowCache::make_key(frame.data(), mask, 5, key);
  cache.insert(key, hash, {3, 1});
  frame[40] = 9;
  hash = FlowCache::make_key(frame.data(), mask, 5, key);
  EXPECT_NE(cache.find_now(key, hash), nullptr);
  frame[41] = 9;
  hash = FlowCache::make_key(frame.data(), mask, 5, key);
  EXPECT_EQ(cache.find_any(key, hash), nullptr);
}

TEST(FlowCacheTest, OtherMaskIsAnotherKeyAndOtherVersionAnOlderOne) {
  FlowCache cache = *FlowCache::create(64);
  const std::array<std::uint8_t, 64> frame{};
  WindowKey key;
  std::uint32_t hash = FlowCache::make_key(frame.data(), full_class_mask(7), 5, key);
  cache.insert(key, hash, {3, 1});
  hash = FlowCache::make_key(frame.data(), full_class_mask(7), 6, key);
  EXPECT_EQ(cache.find_now(key, hash), nullptr);
  EXPECT_NE(cache.find_any(key, hash), nullptr);
  hash = FlowCache::make_key(frame.data(), full_class_mask(8), 5, key);
  EXPECT_EQ(cache.find_any(key, hash), nullptr);
}

TEST(FlowCacheTest, ParsedPacketsAreComparedByEveryWord) {
  FlowCache cache = *FlowCache::create(1024);
  const ClassMask mask = full_class_mask(7);
  FlowKey packet{};
  FlowCache::WideEntry key{};
  std::uint32_t hash = FlowCache::make_key(packet, mask, 5, key);
  key.segment = {9, 1};
  cache.insert(key, hash);
  EXPECT_NE(cache.find_any(key, hash), nullptr);
  packet.ipv6_exthdr = Be16{1};
  hash = FlowCache::make_key(packet, mask, 5, key);
  EXPECT_EQ(cache.find_any(key, hash), nullptr);
}

TEST(SimdTest, AgreesWithPlainCode) {
  std::mt19937 random(1);
  alignas(64) std::array<std::uint8_t, 64> a, b, mask{}, out;
  for (int n = 0; n < 2000; ++n) {
    for (auto& byte : a) byte = static_cast<std::uint8_t>(random());
    for (std::size_t i = 0; i < 48; ++i) mask[i] = static_cast<std::uint8_t>(random());
    simd::mask_window(a.data(), mask.data(), 0x1122334455667788u, out.data());
    for (std::size_t i = 0; i < 48; ++i) ASSERT_EQ(out[i], a[i] & mask[i]);
    ASSERT_EQ(simd::load64(out.data() + 48), 0x1122334455667788u);
    b = out;
    ASSERT_TRUE(simd::equal56(out.data(), b.data()));
    b[60] ^= 1;
    ASSERT_TRUE(simd::equal56(out.data(), b.data()));
    const std::size_t flipped = random() % 56;
    b[flipped] ^= 1;
    ASSERT_FALSE(simd::equal56(out.data(), b.data()));
    ASSERT_TRUE(simd::matches48(a.data(), out.data(), mask.data()));
    ASSERT_NE(flipped < 48, simd::matches48(a.data(), b.data(), mask.data()));
  }
}

}  // namespace
}  // namespace hoist::software
