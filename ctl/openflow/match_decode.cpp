// SPDX-License-Identifier: BSD-3-Clause
#include <string>

#include "openflow/check.hpp"
#include "openflow/match_codec.hpp"

namespace hoist::openflow {
namespace {

constexpr std::uint16_t kOxmMatchType = 1;

bool is_consulted(const Match& match, const Field& f) noexcept {
  return get_field(match.mask, f) != FieldValue{};
}

Decoded<void> add(Match& match, const OxmEntry& entry) {
  const Field& f = *entry.field;
  if (!is_satisfied(f.prerequisite, match)) {
    return fault(ErrorName::kMatchBadPrerequisite,
                 std::string(f.name) + " lacks what must be matched before it");
  }
  if (is_consulted(match, f)) {
    return fault(ErrorName::kMatchDuplicateField, std::string(f.name) + " is given twice");
  }
  set_field(match.value, f, entry.value, entry.mask);
  set_field(match.mask, f, entry.mask, entry.mask);
  return {};
}

Decoded<void> add_cookie(CookieFilter* cookie, const OxmEntry& entry) {
  if (cookie == nullptr) return fault(ErrorName::kMatchBadField, "cookie in a match");
  if (cookie->mask != 0) return fault(ErrorName::kMatchDuplicateField, "cookie is given twice");
  cookie->cookie = low64(entry.value);
  cookie->mask = low64(entry.mask);
  return {};
}

}  // namespace

Decoded<void> read_entries(ByteSpan entries, Match& match, CookieFilter* cookie) {
  Reader in(entries);
  while (in.left() != 0) {
    const auto entry = take_entry(in, kMatchErrors);
    if (!entry) return tl::unexpected(entry.error());
    auto added = entry->field == nullptr ? add_cookie(cookie, *entry) : add(match, *entry);
    if (!added) return added;
  }
  return {};
}

Decoded<void> take_oxm_match(Reader& in, Match& match) {
  const std::uint16_t type = in.u16();
  const std::uint16_t length = in.u16();
  if (!in.is_ok() || length < 4) return fault(ErrorName::kMatchBadLength, "match too short");
  if (type != kOxmMatchType) return fault(ErrorName::kMatchBadType, "match type is not OXM");
  const ByteSpan padded = in.bytes(rounded_to_8(length) - 4);
  if (!in.is_ok()) return fault(ErrorName::kMatchBadLength, "match longer than its message");
  return read_entries(padded.first(length - 4u), match, nullptr);
}

Decoded<void> take_nxm_match(Reader& in, std::size_t size, Match& match, CookieFilter& cookie) {
  const ByteSpan padded = in.bytes(rounded_to_8(size));
  if (!in.is_ok()) return fault(ErrorName::kMatchBadLength, "match longer than its message");
  return read_entries(padded.first(size), match, &cookie);
}

}  // namespace hoist::openflow
