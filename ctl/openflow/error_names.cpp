// SPDX-License-Identifier: BSD-3-Clause
#include <array>

#include "openflow/fault.hpp"
#include "openflow/wire.hpp"

// The numbers of errors, as Open vSwitch 3.1 sends them in each version. 1.0 lacks most; there the
// error is a Nicira vendor error, which carries a type and a code of its own.

namespace hoist::openflow {
namespace {

struct Number {
  std::uint16_t type;
  std::uint16_t code;
  std::uint32_t experimenter = 0;
};
struct Row {
  ErrorName name;
  Number of10;
  Number of13;
  Number of14;
};

constexpr Number nx(std::uint16_t type, std::uint16_t code = 0) { return {type, code, kNiciraId}; }
constexpr Number onf(std::uint16_t type) { return {type, 0, kOnfId}; }
constexpr Row same(ErrorName name, Number n) { return {name, n, n, n}; }
constexpr Row two(ErrorName name, Number of10, Number later) { return {name, of10, later, later}; }

using E = ErrorName;
constexpr auto kRows = std::to_array<Row>({
    same(E::kBadVersion, {1, 0}),
    same(E::kBadType, {1, 1}),
    same(E::kBadStat, {1, 2}),
    same(E::kBadExperimenter, {1, 3}),
    same(E::kBadSubtype, {1, 4}),
    same(E::kPermission, {1, 5}),
    same(E::kBadLength, {1, 6}),
    same(E::kBufferUnknown, {1, 8}),
    two(E::kBadTableId, nx(1, 512), {1, 9}),
    two(E::kIsSlave, {1, 5}, {1, 10}),
    two(E::kBadPort, nx(1, 514), {1, 11}),
    two(E::kBadPacket, {1, 6}, {1, 12}),
    two(E::kMultipartBufferOverflow, {1, 6}, {1, 13}),
    same(E::kActionBadType, {2, 0}),
    same(E::kActionBadLength, {2, 1}),
    same(E::kActionBadExperimenter, {2, 2}),
    same(E::kActionBadExperimenterType, {2, 3}),
    same(E::kActionBadOutPort, {2, 4}),
    same(E::kActionBadArgument, {2, 5}),
    same(E::kActionTooMany, {2, 7}),
    same(E::kActionBadQueue, {2, 8}),
    two(E::kActionBadOutGroup, nx(2, 9), {2, 9}),
    two(E::kActionMatchInconsistent, nx(1, 522), {2, 10}),
    two(E::kActionUnsupportedOrder, {3, 5}, {2, 11}),
    two(E::kActionBadTag, {2, 5}, {2, 12}),
    two(E::kActionBadSetType, nx(1, 523), {2, 13}),
    two(E::kActionBadSetLength, nx(1, 524), {2, 14}),
    two(E::kActionBadSetArgument, nx(1, 525), {2, 15}),
    two(E::kInstructionUnknown, {2, 0}, {3, 0}),
    two(E::kInstructionUnsupported, nx(2, 257), {3, 1}),
    two(E::kInstructionBadTableId, {2, 5}, {3, 2}),
    two(E::kInstructionUnsupportedMetadata, {2, 5}, {3, 3}),
    two(E::kInstructionUnsupportedMetadataMask, {2, 5}, {3, 4}),
    two(E::kInstructionBadLength, {2, 1}, {3, 7}),
    {E::kInstructionDuplicate, {2, 0}, onf(2600), {3, 9}},
    two(E::kMatchBadType, nx(1, 256), {4, 0}),
    two(E::kMatchBadLength, nx(1, 256), {4, 1}),
    two(E::kMatchBadTag, nx(1, 256), {4, 2}),
    two(E::kMatchBadDlMask, nx(1, 259), {4, 3}),
    two(E::kMatchBadNwMask, nx(1, 259), {4, 4}),
    two(E::kMatchBadWildcards, nx(1, 262), {4, 5}),
    two(E::kMatchBadField, nx(0, 263), {4, 6}),
    two(E::kMatchBadValue, nx(1, 258), {4, 7}),
    two(E::kMatchBadMask, nx(1, 259), {4, 8}),
    two(E::kMatchBadPrerequisite, nx(1, 260), {4, 9}),
    two(E::kMatchDuplicateField, nx(1, 261), {4, 10}),
    two(E::kFlowModUnknown, {3, 5}, {5, 0}),
    two(E::kFlowModTableFull, {3, 0}, {5, 1}),
    two(E::kFlowModBadTableId, nx(5, 257), {5, 2}),
    two(E::kFlowModOverlap, {3, 1}, {5, 3}),
    two(E::kFlowModPermission, {3, 2}, {5, 4}),
    two(E::kFlowModBadTimeout, {3, 3}, {5, 5}),
    two(E::kFlowModBadCommand, {3, 4}, {5, 6}),
    two(E::kFlowModBadFlags, nx(3, 258), {5, 7}),
    two(E::kPortModBadPort, {4, 0}, {7, 0}),
    two(E::kPortModBadHwAddr, {4, 1}, {7, 1}),
    two(E::kPortModBadConfig, {1, 6}, {7, 2}),
    two(E::kPortModBadAdvertise, {1, 6}, {7, 3}),
    two(E::kTableModBadTable, {1, 1}, {8, 0}),
    two(E::kTableModBadConfig, {1, 1}, {8, 1}),
    two(E::kSwitchConfigBadFlags, {1, 6}, {10, 0}),
    two(E::kRoleUnsupported, {1, 5}, {11, 1}),
    two(E::kRoleStale, {1, 5}, {11, 0}),
    two(E::kRoleBad, nx(1, 513), {11, 2}),
    two(E::kGroupModUnknownGroup, nx(6, 8), {6, 8}),
    two(E::kGroupModOutOfGroups, nx(6, 3), {6, 3}),
    two(E::kGroupModBadCommand, nx(6, 11), {6, 11}),
    two(E::kGroupModBadType, nx(6, 10), {6, 10}),
    two(E::kMeterModUnknown, {1, 1}, {12, 0}),
    two(E::kMeterModExists, {1, 1}, {12, 1}),
    two(E::kMeterModInvalid, {1, 1}, {12, 2}),
    two(E::kMeterModUnknownMeter, {1, 1}, {12, 3}),
    two(E::kMeterModBadCommand, {1, 1}, {12, 4}),
    two(E::kMeterModBadFlags, {1, 1}, {12, 5}),
    two(E::kMeterModBadRate, {1, 1}, {12, 6}),
    two(E::kMeterModBadBand, {1, 1}, {12, 8}),
    two(E::kMeterModOutOfMeters, {1, 1}, {12, 10}),
    two(E::kMeterModOutOfBands, {1, 1}, {12, 11}),
    {E::kBundleUnknown, {1, 1}, onf(2300), {17, 0}},
    {E::kBundleExists, {1, 1}, onf(2303), {17, 3}},
    {E::kBundleBadId, {1, 1}, onf(2302), {17, 2}},
    {E::kBundleClosed, {1, 1}, onf(2304), {17, 4}},
    {E::kBundleOutOfBundles, {1, 1}, onf(2305), {17, 5}},
    {E::kBundleBadType, {1, 1}, onf(2306), {17, 6}},
    {E::kBundleBadFlags, {1, 1}, onf(2307), {17, 7}},
    {E::kBundleMessageBadLength, {1, 1}, onf(2308), {17, 8}},
    {E::kBundleMessageBadXid, {1, 1}, onf(2309), {17, 9}},
    {E::kBundleMessageUnsupported, {1, 1}, onf(2310), {17, 10}},
    {E::kBundleMessageFailed, {1, 1}, onf(2313), {17, 13}},
    {E::kMonitorExists, nx(1, 517), nx(6), {16, 1}},
    {E::kMonitorUnknown, nx(1, 519), nx(8), {16, 3}},
    {E::kMonitorBadCommand, nx(1, 518), nx(7), {16, 4}},
    {E::kMonitorBadFlags, nx(1, 518), nx(7), {16, 5}},
    {E::kPropertyBadType, nx(13, 2), {13, 2}, {14, 0}},
    {E::kPropertyBadLength, nx(13, 3), {13, 3}, {14, 1}},
    {E::kPropertyBadValue, nx(13, 4), {13, 4}, {14, 2}},
    two(E::kTableFeaturesPermission, {1, 5}, {13, 5}),
    two(E::kMustBeZero, nx(1, 515), nx(4)),
    same(E::kHelloIncompatible, {0, 0}),
});

constexpr bool is_in_order() {
  for (std::size_t i = 0; i < kRows.size(); ++i) {
    if (static_cast<std::size_t>(kRows[i].name) != i) return false;
  }
  return kRows.size() == static_cast<std::size_t>(E::kHelloIncompatible) + 1;
}
static_assert(is_in_order(), "one row for each ErrorName, in its order");

}  // namespace

WireError to_wire(ErrorName name, Version version, std::string detail) {
  const Row& row = kRows[static_cast<std::size_t>(name)];
  const Number& n = version == Version::kOf10              ? row.of10
                    : is_at_least(version, Version::kOf14) ? row.of14
                                                           : row.of13;
  return WireError{n.type, n.code, n.experimenter, std::move(detail)};
}

}  // namespace hoist::openflow
