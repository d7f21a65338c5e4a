// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace hoist {

/// What kind of failure it was, for branching. People read Error::message.
enum class Errc {
  kInvalidArgument,  ///< The request itself is wrong; nothing was changed.
  kNotFound,         ///< What the request names does not exist.
  kExists,           ///< What the request would create exists already.
  kFull,             ///< No room; nothing was changed.
  kUnsupported,      ///< Understood, but this build or device cannot do it.
  kBusy,             ///< Not now; the same request may succeed later.
  kDevice,           ///< DPDK or a device failed; the message carries its reason.
  kIo,               ///< A file or socket failed; the message carries its reason.
};

struct Error {
  Errc code;
  std::string message;
};

template <class T>
using Result = tl::expected<T, Error>;

[[nodiscard]] inline tl::unexpected<Error> failure(Errc code, std::string message) {
  return tl::unexpected<Error>(Error{code, std::move(message)});
}

}  // namespace hoist
