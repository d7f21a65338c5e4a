// SPDX-License-Identifier: BSD-3-Clause
// Feeds a fuzz target every file of the folders named, the frames of all captures that are there,
// and a fixed number of mutations of each. The same inputs in every run.
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <random>

#include "support/captures.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using hoist::test::Bytes;

constexpr int kMutations = 16;

// From a heap buffer of just that size, so that a sanitizer sees the first byte read too far.
void feed(const Bytes& input) {
  const auto buffer = std::make_unique<std::uint8_t[]>(input.size());
  std::copy(input.begin(), input.end(), buffer.get());
  LLVMFuzzerTestOneInput(buffer.get(), input.size());
}

void feed_with_mutations(const Bytes& input, std::mt19937_64& random) {
  feed(input);
  for (int i = 0; i < kMutations && !input.empty(); ++i) {
    Bytes mutant = input;
    if (random() % 3 == 0) mutant.resize(random() % (input.size() + 1));
    for (std::size_t n = random() % 4; n > 0 && !mutant.empty(); --n) {
      // Headers stand in front: half of the mutations go there.
      const std::size_t reach =
          random() % 2 == 0 ? std::min<std::size_t>(mutant.size(), 80) : mutant.size();
      mutant[random() % reach] = static_cast<std::uint8_t>(random());
    }
    feed(mutant);
  }
}

Bytes read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return Bytes(std::istreambuf_iterator<char>(in), {});
}

}  // namespace

int main(int argc, char** argv) {
  std::mt19937_64 random(1);
  std::size_t files = 0;
  for (int i = 1; i < argc; ++i) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(argv[i])) {
      if (!entry.is_regular_file()) continue;
      feed_with_mutations(read_file(entry.path()), random);
      ++files;
    }
  }
  const auto frames = hoist::test::captured_frames();
  for (const Bytes& frame : frames) feed_with_mutations(frame, random);
  std::printf("%zu files and %zu captured frames, %d mutations of each\n", files, frames.size(),
              kMutations);
  return files == 0 ? 1 : 0;
}
