// SPDX-License-Identifier: BSD-3-Clause
#include "support/captures.hpp"

#include <pcap/pcap.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

namespace hoist::test {
namespace {

struct ClosePcap {
  void operator()(pcap_t* p) const { pcap_close(p); }
  void operator()(pcap_dumper_t* p) const { pcap_dump_close(p); }
};

}  // namespace

std::vector<Bytes> read_capture(const std::filesystem::path& file) {
  std::vector<Bytes> frames;
  char error[PCAP_ERRBUF_SIZE];
  const std::unique_ptr<pcap_t, ClosePcap> pcap(pcap_open_offline(file.c_str(), error));
  if (!pcap || pcap_datalink(pcap.get()) != DLT_EN10MB) return frames;
  pcap_pkthdr* header = nullptr;
  const std::uint8_t* data = nullptr;
  while (pcap_next_ex(pcap.get(), &header, &data) == 1) {
    frames.emplace_back(data, data + header->caplen);
  }
  return frames;
}

bool write_capture(const std::filesystem::path& file, std::span<const Bytes> frames) {
  constexpr int kSnapLength = 262144;
  const std::unique_ptr<pcap_t, ClosePcap> pcap(pcap_open_dead(DLT_EN10MB, kSnapLength));
  const std::unique_ptr<pcap_dumper_t, ClosePcap> out(pcap_dump_open(pcap.get(), file.c_str()));
  if (!out) return false;
  for (const Bytes& frame : frames) {
    const auto size = static_cast<bpf_u_int32>(frame.size());
    const pcap_pkthdr header{.ts = {}, .caplen = size, .len = size};
    pcap_dump(reinterpret_cast<std::uint8_t*>(out.get()), &header, frame.data());
  }
  return pcap_dump_flush(out.get()) == 0;
}

std::vector<std::filesystem::path> capture_files() {
  const char* named = std::getenv("HOIST_CAPTURES");
  const std::filesystem::path folder = named != nullptr ? named : HOIST_CAPTURES;
  std::vector<std::filesystem::path> files;
  std::error_code absent;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder, absent)) {
    const auto extension = entry.path().extension();
    if (extension == ".pcap" || extension == ".pcapng") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

std::vector<Bytes> captured_frames() {
  std::vector<Bytes> frames;
  for (const auto& file : capture_files()) {
    for (Bytes& frame : read_capture(file)) frames.push_back(std::move(frame));
  }
  return frames;
}

}  // namespace hoist::test
