// SPDX-License-Identifier: BSD-3-Clause
#include "telemetry.hpp"

#include <rte_telemetry.h>

#include <cstdio>
#include <cstdlib>
#include <mutex>

#include "nic.hpp"

namespace emulated_nic {
namespace {

int answer_books(const char*, const char*, rte_tel_data* data) {
  Nic& nic = Nic::instance();
  rte_tel_data_start_dict(data);
  nic.books().for_each([&](const char* name, const Books::Count& counter) {
    rte_tel_data_add_dict_u64(data, name, counter.load(std::memory_order_relaxed));
  });
  rte_tel_data* groups = rte_tel_data_alloc();
  if (groups == nullptr) return 0;
  rte_tel_data_start_dict(groups);
  nic.for_each_group([&](std::uint16_t port, bool is_transfer, const Group& group) {
    if (group.size() == 0) return;
    char name[64];
    if (is_transfer) {
      std::snprintf(name, sizeof name, "transfer_%u", group.id());
    } else {
      std::snprintf(name, sizeof name, "port_%u_ingress_%u", port, group.id());
    }
    rte_tel_data_add_dict_u64(groups, name, group.size());
  });
  rte_tel_data_add_dict_container(data, "rules", groups, 0);
  return 0;
}

void write_books() {
  const char* path = std::getenv("EMULATED_NIC_BOOKS");
  if (path == nullptr) return;
  std::FILE* file = std::fopen(path, "w");
  if (file == nullptr) return std::perror(path);
  const std::string text = Nic::instance().books_json() + "\n";
  std::fputs(text.c_str(), file);
  std::fclose(file);
}

}  // namespace

void offer_telemetry() {
  static std::once_flag once;
  std::call_once(once, [] {
    rte_telemetry_register_cmd("/emulated_nic/books", answer_books,
                               "What the emulated NIC has seen. No parameters");
    std::atexit(write_books);
  });
}

}  // namespace emulated_nic
