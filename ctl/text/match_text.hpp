// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "hoist/match.hpp"
#include "text/scan.hpp"

namespace hoist::text {

/// Says whether a word can stand in a match: a protocol's or a field's name.
[[nodiscard]] bool is_match_word(const Word& word) noexcept;
/// Makes a match of words in any order. A field whose prerequisite is not among them is an error.
[[nodiscard]] Result<Match> parse_match_words(const Scan& scan, std::span<const Word> words);
/// Which transport protocol's port "tp_src" is, given what `match` demands: one of tcp_src,
/// udp_src, sctp_src (`is_source`), or tcp_dst, ...; nothing if the match has no such protocol.
[[nodiscard]] const Field* transport_port(const Match& match, bool is_source) noexcept;

}  // namespace hoist::text
