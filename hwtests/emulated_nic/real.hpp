// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

namespace emulated_nic {

/// The function of this name that the library stands in front of: DPDK's own.
template <class Function>
Function* real(Function*, const char* name) {
  void* found = dlsym(RTLD_NEXT, name);
  if (found == nullptr) {
    std::fprintf(stderr,
                 "emulated NIC: no %s behind this library: link or preload it ahead of "
                 "librte_ethdev\n",
                 name);
    std::abort();
  }
  return reinterpret_cast<Function*>(found);
}

}  // namespace emulated_nic

/// The real one of an interposed function, looked up once.
#define EMULATED_NIC_REAL(function)                                        \
  ([] {                                                                    \
    static auto* const found = ::emulated_nic::real(&function, #function); \
    return found;                                                          \
  }())
