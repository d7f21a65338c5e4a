// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <immintrin.h>
#elif defined(__ARM_NEON)
#include <arm_neon.h>
#endif
#if defined(__ARM_FEATURE_CRC32)
#include <arm_acle.h>
#endif

/// The few vector operations of the packet path, chosen at compile time. Every one has a plain
/// form.
namespace hoist::software::simd {

[[nodiscard]] inline std::uint64_t load64(const void* p) noexcept {
  std::uint64_t v;
  std::memcpy(&v, p, sizeof v);
  return v;
}

/// One step of a 32-bit hash: CRC32C where the machine has it.
[[nodiscard]] inline std::uint32_t hash_step(std::uint32_t seed, std::uint64_t word) noexcept {
#if defined(__SSE4_2__)
  return static_cast<std::uint32_t>(_mm_crc32_u64(seed, word));
#elif defined(__ARM_FEATURE_CRC32)
  return __crc32cd(seed, word);
#else
  std::uint64_t x = (word ^ seed) * 0x9e3779b97f4a7c15u;
  x ^= x >> 32;
  return static_cast<std::uint32_t>(x * 0xd6e8feb8u >> 7 ^ x);
#endif
}

/// Hash of an even number of words, in two chains that the processor runs side by side.
template <std::size_t kWords>
[[nodiscard]] inline std::uint32_t hash_words(const void* at, std::uint32_t seed) noexcept {
  static_assert(kWords % 2 == 0);
  const auto* p = static_cast<const std::uint8_t*>(at);
  std::uint32_t a = seed;
  std::uint32_t b = ~seed;
  for (std::size_t i = 0; i < kWords; i += 2) {
    a = hash_step(a, load64(p + 8 * i));
    b = hash_step(b, load64(p + 8 * i + 8));
  }
  return hash_step(a, std::uint64_t{b} << 32 | seed);
}

/// Writes the 48 bytes of a frame under a mask, then `tag`; the last 8 bytes of `out` become zero.
/// `frame`: at least 48 readable bytes. `mask` and `out`: 64 bytes, aligned to 64; mask's last 16
/// zero.
inline void mask_window(const std::uint8_t* frame, const std::uint8_t* mask, std::uint64_t tag,
                        std::uint8_t* out) noexcept {
#if defined(__AVX512F__)
  const __m512i bytes = _mm512_maskz_loadu_epi64(0x3f, frame);
  __m512i key = _mm512_and_si512(bytes, _mm512_load_si512(mask));
  key = _mm512_mask_set1_epi64(key, 0x40, static_cast<long long>(tag));
  _mm512_store_si512(out, key);
#elif defined(__SSE2__)
  for (std::size_t i = 0; i < 48; i += 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(frame + i));
    const __m128i bits = _mm_load_si128(reinterpret_cast<const __m128i*>(mask + i));
    _mm_store_si128(reinterpret_cast<__m128i*>(out + i), _mm_and_si128(bytes, bits));
  }
  _mm_store_si128(reinterpret_cast<__m128i*>(out + 48),
                  _mm_set_epi64x(0, static_cast<long long>(tag)));
#elif defined(__ARM_NEON)
  for (std::size_t i = 0; i < 48; i += 16) {
    vst1q_u8(out + i, vandq_u8(vld1q_u8(frame + i), vld1q_u8(mask + i)));
  }
  std::memset(out + 48, 0, 16);
  std::memcpy(out + 48, &tag, sizeof tag);
#else
  for (std::size_t i = 0; i < 48; i += 8) {
    const std::uint64_t v = load64(frame + i) & load64(mask + i);
    std::memcpy(out + i, &v, sizeof v);
  }
  std::memset(out + 48, 0, 16);
  std::memcpy(out + 48, &tag, sizeof tag);
#endif
}

/// Compares the first 56 bytes of two lines, each aligned to 64.
[[nodiscard]] inline bool equal56(const void* a, const void* b) noexcept {
#if defined(__AVX512F__)
  return _mm512_mask_cmpneq_epi64_mask(0x7f, _mm512_load_si512(a), _mm512_load_si512(b)) == 0;
#elif defined(__SSE2__)
  const auto* x = static_cast<const __m128i*>(a);
  const auto* y = static_cast<const __m128i*>(b);
  __m128i diff = _mm_xor_si128(_mm_load_si128(x), _mm_load_si128(y));
  diff = _mm_or_si128(diff, _mm_xor_si128(_mm_load_si128(x + 1), _mm_load_si128(y + 1)));
  diff = _mm_or_si128(diff, _mm_xor_si128(_mm_load_si128(x + 2), _mm_load_si128(y + 2)));
  diff = _mm_or_si128(diff, _mm_xor_si128(_mm_loadl_epi64(x + 3), _mm_loadl_epi64(y + 3)));
  return _mm_movemask_epi8(_mm_cmpeq_epi8(diff, _mm_setzero_si128())) == 0xffff;
#elif defined(__ARM_NEON)
  const auto* x = static_cast<const std::uint8_t*>(a);
  const auto* y = static_cast<const std::uint8_t*>(b);
  uint8x16_t diff = veorq_u8(vld1q_u8(x), vld1q_u8(y));
  diff = vorrq_u8(diff, veorq_u8(vld1q_u8(x + 16), vld1q_u8(y + 16)));
  diff = vorrq_u8(diff, veorq_u8(vld1q_u8(x + 32), vld1q_u8(y + 32)));
  const uint64x2_t d = vreinterpretq_u64_u8(diff);
  return (vgetq_lane_u64(d, 0) | vgetq_lane_u64(d, 1) | (load64(x + 48) ^ load64(y + 48))) == 0;
#else
  return std::memcmp(a, b, 56) == 0;
#endif
}

/// Says whether `frame` agrees with `value` in every bit of `mask`: 48 bytes each, value within
/// mask.
[[nodiscard]] inline bool matches48(const std::uint8_t* frame, const std::uint8_t* value,
                                    const std::uint8_t* mask) noexcept {
#if defined(__SSE2__)
  __m128i diff = _mm_setzero_si128();
  for (std::size_t i = 0; i < 48; i += 16) {
    const __m128i f = _mm_loadu_si128(reinterpret_cast<const __m128i*>(frame + i));
    const __m128i v = _mm_loadu_si128(reinterpret_cast<const __m128i*>(value + i));
    const __m128i m = _mm_loadu_si128(reinterpret_cast<const __m128i*>(mask + i));
    diff = _mm_or_si128(diff, _mm_xor_si128(_mm_and_si128(f, m), v));
  }
  return _mm_movemask_epi8(_mm_cmpeq_epi8(diff, _mm_setzero_si128())) == 0xffff;
#else
  std::uint64_t diff = 0;
  for (std::size_t i = 0; i < 48; i += 8) {
    diff |= (load64(frame + i) & load64(mask + i)) ^ load64(value + i);
  }
  return diff == 0;
#endif
}

}  // namespace hoist::software::simd
