// SPDX-License-Identifier: BSD-3-Clause
#include "openflow/multipart_types.hpp"
#include "openflow/oxm.hpp"

// OpenFlow 1.3, 7.3.5.5: per table | length 2 | table_id 1 | pad 5 | name 32 | metadata_match 8 |
// metadata_write 8 | config 4 | max_entries 4 | properties |.

namespace hoist::openflow {
namespace {

constexpr std::uint32_t kMaxEntries = 1u << 22;

/// OFPTFPT_*; each that ends in a miss has the same as its neighbour, and is left out.
enum class Property : std::uint16_t {
  kInstructions = 0,
  kNextTables = 2,
  kWriteActions = 4,
  kApplyActions = 6,
  kMatch = 8,
  kWildcards = 10,
  kWriteSetField = 12,
  kApplySetField = 14,
};

template <class Body>
void put_property(Bytes& out, Property type, Body body) {
  const std::size_t start = out.size();
  put16(out, to_integer(type));
  put16(out, 0);
  body();
  set16(out, start + 2, out.size() - start);
  pad_to_8(out, start);
}

void put_kinds(Bytes& out, std::initializer_list<std::uint16_t> types) {
  for (const std::uint16_t type : types) {
    put16(out, type);
    put16(out, 4);
  }
}

/// Everything but experimenters, and but copies of TTLs.
void put_actions(Bytes& out) { put_kinds(out, {0, 15, 16, 17, 18, 19, 20, 21, 23, 24, 25}); }

/// Each field once: parts of registers are named as the registers they are.
bool is_named(const Field& f, Version version) noexcept {
  const bool is_xxreg = f.id >= FieldId::kXxreg0 && f.id <= FieldId::kXxreg3;
  const bool is_xreg = f.id >= FieldId::kXreg0 && f.id <= FieldId::kXreg7;
  const bool is_reg = f.id >= FieldId::kReg0 && f.id <= FieldId::kReg15;
  if (is_xxreg) return false;
  return is_at_least(version, Version::kOf15) ? !is_reg : !is_xreg;
}

void put_fields(Bytes& out, Version version, bool (*wanted)(const Field&), bool with_masks) {
  for (const Field& f : kFields) {
    if (!is_named(f, version) || !wanted(f)) continue;
    put_header(out, header_of(f, flavor_of(version)), with_masks && f.is_maskable);
  }
}

/// The properties that are the same in all tables.
Bytes shared_properties(Version version) {
  const auto any = [](const Field&) { return true; };
  const auto writable = [](const Field& f) { return f.is_writable && f.id != FieldId::kInPort; };
  Bytes out;
  put_property(out, Property::kWriteActions, [&] { put_actions(out); });
  put_property(out, Property::kApplyActions, [&] { put_actions(out); });
  put_property(out, Property::kMatch, [&] { put_fields(out, version, any, true); });
  put_property(out, Property::kWildcards, [&] { put_fields(out, version, any, false); });
  put_property(out, Property::kWriteSetField, [&] { put_fields(out, version, writable, false); });
  put_property(out, Property::kApplySetField, [&] { put_fields(out, version, writable, false); });
  return out;
}

void put_table(Bytes& out, const TableStats& table, ByteSpan shared) {
  put16(out, 0);
  put8(out, table.table_id);
  put_zeros(out, 5);
  put_text(out, table.name, 32);
  put64(out, UINT64_MAX);
  put64(out, UINT64_MAX);
  put32(out, 0);
  put32(out, kMaxEntries);
  put_property(out, Property::kInstructions, [&] { put_kinds(out, {1, 2, 3, 4, 5}); });
  put_property(out, Property::kNextTables, [&] {
    for (unsigned next = table.table_id + 1u; next < kTableCount; ++next) {
      put8(out, static_cast<std::uint8_t>(next));
    }
  });
  put_bytes(out, shared);
  set16(out, 0, out.size());
}

}  // namespace

void encode_table_features(Bytes& out, Envelope to, std::span<const TableStats> tables) {
  const Bytes shared = shared_properties(to.version);
  MultipartReply reply(out, to, to_integer(Multipart::kTableFeatures));
  Bytes entry;
  for (const TableStats& table : tables) {
    entry.clear();
    put_table(entry, table, shared);
    reply.add(entry);
  }
  reply.finish();
}

}  // namespace hoist::openflow
