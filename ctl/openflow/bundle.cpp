// SPDX-License-Identifier: BSD-3-Clause
#include "openflow/bundle.hpp"

#include <algorithm>
#include <utility>

namespace hoist::openflow {

namespace {

/// The first block is small, for the many bundles that are.
constexpr std::size_t kFirstBlock = 4096;
constexpr std::size_t kBlock = std::size_t{1} << 20;

}  // namespace

void Bundle::add(std::span<const std::uint8_t> message) {
  const bool fits =
      !blocks_.empty() && blocks_.back().capacity() - blocks_.back().size() >= message.size();
  if (!fits) {
    const std::size_t size = blocks_.empty() ? kFirstBlock : kBlock;
    blocks_.emplace_back().reserve(std::max(size, message.size()));
  }
  blocks_.back().insert(blocks_.back().end(), message.begin(), message.end());
}

Decoded<void> BundleTable::open(std::uint32_t bundle_id, std::uint16_t flags) {
  if ((flags & ~(kAtomic | kOrdered)) != 0) {
    return fault(ErrorName::kBundleBadFlags, "unknown bundle flags");
  }
  if (bundles_.size() >= kBundlesMax) {
    return fault(ErrorName::kBundleOutOfBundles, "too many open bundles");
  }
  if (!bundles_.try_emplace(bundle_id, flags).second) {
    return fault(ErrorName::kBundleExists, "bundle is open already");
  }
  return {};
}

Decoded<void> BundleTable::close(std::uint32_t bundle_id, std::uint16_t flags) {
  const auto found = bundles_.find(bundle_id);
  if (found == bundles_.end()) return fault(ErrorName::kBundleBadId, "no such bundle");
  Bundle& bundle = found->second;
  if (bundle.is_closed()) {
    bundles_.erase(found);
    return fault(ErrorName::kBundleClosed, "bundle is closed already");
  }
  if (bundle.flags() != flags) {
    bundles_.erase(found);
    return fault(ErrorName::kBundleBadFlags, "flags differ from the bundle's");
  }
  bundle.close();
  return {};
}

Decoded<void> BundleTable::discard(std::uint32_t bundle_id) {
  if (bundles_.erase(bundle_id) == 0) return fault(ErrorName::kBundleBadId, "no such bundle");
  return {};
}

Decoded<void> BundleTable::add(std::uint32_t bundle_id, std::uint16_t flags,
                               std::span<const std::uint8_t> message) {
  auto found = bundles_.find(bundle_id);
  if (found == bundles_.end()) {
    if (Decoded<void> opened = open(bundle_id, flags); !opened) return opened;
    found = bundles_.find(bundle_id);
  }
  Bundle& bundle = found->second;
  if (bundle.is_closed()) return fault(ErrorName::kBundleClosed, "bundle is closed");
  if (bundle.flags() != flags) {
    return fault(ErrorName::kBundleBadFlags, "flags differ from the bundle's");
  }
  bundle.add(message);
  return {};
}

void BundleTable::spoil(std::uint32_t bundle_id) {
  const auto found = bundles_.find(bundle_id);
  if (found != bundles_.end()) found->second.spoil();
}

Decoded<Bundle> BundleTable::take(std::uint32_t bundle_id, std::uint16_t flags) {
  const auto found = bundles_.find(bundle_id);
  if (found == bundles_.end()) return fault(ErrorName::kBundleBadId, "no such bundle");
  Bundle bundle = std::move(found->second);
  bundles_.erase(found);
  if (bundle.flags() != flags) {
    return fault(ErrorName::kBundleBadFlags, "flags differ from the bundle's");
  }
  if (bundle.is_spoilt()) {
    return fault(ErrorName::kBundleMessageFailed, "a message of the bundle was refused");
  }
  return bundle;
}

}  // namespace hoist::openflow
