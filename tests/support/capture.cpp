// SPDX-License-Identifier: BSD-3-Clause
#include "support/capture.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>

namespace hoist::test {
namespace {

/// A file's bytes with its byte order.
class Reader {
 public:
  explicit Reader(Bytes bytes) : bytes_(std::move(bytes)) {}

  [[nodiscard]] std::size_t size() const { return bytes_.size(); }
  [[nodiscard]] bool has(std::size_t at, std::size_t size) const {
    return at <= bytes_.size() && size <= bytes_.size() - at;
  }
  [[nodiscard]] std::uint32_t word(std::size_t at) const {
    const std::uint8_t* b = &bytes_[at];
    const std::uint32_t little =
        b[0] | std::uint32_t{b[1]} << 8 | std::uint32_t{b[2]} << 16 | std::uint32_t{b[3]} << 24;
    return is_swapped_ ? __builtin_bswap32(little) : little;
  }
  void swap() { is_swapped_ = !is_swapped_; }
  [[nodiscard]] Bytes cut(std::size_t at, std::size_t size) const {
    const auto from = bytes_.begin() + static_cast<std::ptrdiff_t>(at);
    return {from, from + static_cast<std::ptrdiff_t>(size)};
  }

 private:
  Bytes bytes_;
  bool is_swapped_ = false;
};

/// draft-ietf-opsawg-pcap: 24 bytes of header, then 16 bytes before each frame.
std::vector<Bytes> read_pcap(const Reader& file) {
  std::vector<Bytes> frames;
  for (std::size_t at = 24; file.has(at, 16);) {
    const std::size_t size = file.word(at + 8);
    if (!file.has(at + 16, size)) break;
    frames.push_back(file.cut(at + 16, size));
    at += 16 + size;
  }
  return frames;
}

constexpr std::uint32_t kSectionHeader = 0x0a0d0d0a;
constexpr std::uint32_t kByteOrder = 0x1a2b3c4d;

/// draft-ietf-opsawg-pcapng: blocks of type, length, body, length. Frames are in enhanced (6) and
/// simple (3) packet blocks.
std::vector<Bytes> read_pcapng(Reader file) {
  std::vector<Bytes> frames;
  for (std::size_t at = 0; file.has(at, 12);) {
    if (file.word(at) == kSectionHeader && file.word(at + 8) != kByteOrder) file.swap();
    const std::uint32_t type = file.word(at);
    const std::size_t size = file.word(at + 4);
    if (size < 12 || !file.has(at, size)) break;
    if (type == 6 && size >= 32) {
      const std::size_t captured = file.word(at + 20);
      if (captured <= size - 32) frames.push_back(file.cut(at + 28, captured));
    } else if (type == 3 && size >= 16) {
      const std::size_t captured = std::min<std::size_t>(file.word(at + 8), size - 16);
      frames.push_back(file.cut(at + 12, captured));
    }
    at += size;
  }
  return frames;
}

}  // namespace

std::vector<Bytes> read_capture(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  Reader file(Bytes(std::istreambuf_iterator<char>(stream), {}));
  if (!file.has(0, 24)) return {};
  if (file.word(0) == kSectionHeader) return read_pcapng(std::move(file));
  const auto is_pcap = [&file] { return file.word(0) == 0xa1b2c3d4 || file.word(0) == 0xa1b23c4d; };
  if (is_pcap()) return read_pcap(file);
  file.swap();
  return is_pcap() ? read_pcap(file) : std::vector<Bytes>{};
}

std::vector<std::filesystem::path> find_captures(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder, error)) {
    const auto extension = entry.path().extension();
    if (extension == ".pcap" || extension == ".pcapng") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

}  // namespace hoist::test
