// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <rte_flow.h>

#include <cerrno>
#include <tl/expected.hpp>

namespace emulated_nic {

/// Why a request is refused, as rte_flow_error says it.
struct Refused {
  int code;  ///< Positive errno.
  rte_flow_error_type type;
  const void* cause;    ///< The offending item, action or attribute of the request.
  const char* message;  ///< Static storage.
};

template <class T>
using Answer = tl::expected<T, Refused>;

[[nodiscard]] inline tl::unexpected<Refused> refuse(int code, rte_flow_error_type type,
                                                    const void* cause, const char* message) {
  return tl::unexpected<Refused>(Refused{code, type, cause, message});
}

/// Fills `error` and rte_errno; returns -code, as the rte_flow functions do.
inline int report(const Refused& refused, rte_flow_error* error) {
  return rte_flow_error_set(error, refused.code, refused.type, refused.cause, refused.message);
}

}  // namespace emulated_nic
