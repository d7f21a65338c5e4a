// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "classifier/classifier.hpp"
#include "hoist/drop_reason.hpp"
#include "hoist/flow_key.hpp"
#include "meter/meter.hpp"
#include "packet/parse.hpp"
#include "pipeline/action_set.hpp"
#include "pipeline/path_builder.hpp"
#include "pipeline/program.hpp"
#include "pipeline/trail_recorder.hpp"
#include "pipeline/view.hpp"

struct rte_mbuf;
struct rte_mempool;

namespace hoist::software {

/// Takes one packet through the tables and writes down what that does to it. It works on a copy of
/// the packet and looks anew after each edit, so it sees what a packet really looks like on its
/// way.
///
/// Owning worker. What it writes down holds for every packet with the same consulted fields if
/// is_cacheable() says so.
class Walker {
 public:
  struct Place {
    const View* view;
    std::uint8_t bridge;
    Classifier::Version version;
    MeterTime meter_time;
  };

  /// Fails with kFull if there is no memory for the copy.
  static Result<std::unique_ptr<Walker>> create(rte_mempool& pool);
  ~Walker();
  Walker(const Walker&) = delete;
  Walker& operator=(const Walker&) = delete;

  /// Starts with a packet. `key` and `layers` are what parse() says of it; neither it nor they are
  /// changed.
  void begin(const Place& place, const rte_mbuf& packet, const FlowKey& key, const Layers& layers);
  /// Then, if the way is to be remembered: writes it down in `trails`.
  void record(TrailStore& trails, std::uint64_t root) noexcept {
    recorder_.begin(trails, root, key_);
  }
  /// Then one of: from table 0, of which `entry` is what lookup found (null: nothing);
  void start_with(const Entry* entry);
  /// from a table;
  void start_at(std::uint8_t table_id);
  /// likewise, with values on the stack;
  void start_at(std::uint8_t table_id, std::span<const FieldValue> stack);
  /// or in a program, without a lookup.
  void start_in(const Program& program, RuleId rule, std::uint8_t table_id);

  /// Goes to the end. The path is valid until the next begin().
  const SegmentCode& finish();
  /// Then, if its path has become a segment.
  void end_trail(SegmentRef segment) noexcept { recorder_.finish(segment); }
  [[nodiscard]] bool is_cacheable() const noexcept { return is_cacheable_; }
  /// Of the last finish().
  [[nodiscard]] PathBuilder& path() noexcept { return path_; }

 private:
  enum class Miss : std::uint8_t { kDrops, kIsNothing };
  /// What the walk began with.
  struct Start {
    const Entry* entry = nullptr;
    const Program* program = nullptr;  ///< Set by start_in().
    RuleId rule = RuleId::kNone;
    std::uint8_t table_id = 0;
    bool looks_up = false;      ///< start_at().
    bool is_behind_ct = false;  ///< start_key_ and start_stack_ hold what the packet brings along.
    std::size_t stack_size = 0;
  };
  struct Frame {
    const Program* program;
    std::uint32_t next;
    std::uint16_t depth;  ///< Lookups on the way here that did not go forward.
    std::uint8_t table_id;
    RuleId rule;
  };
  static constexpr std::size_t kFrames = kMaxLookups + 2;
  static constexpr std::size_t kStack = 64;

  explicit Walker(rte_mbuf* copy);

  void begin_again();
  void run();
  void run_frames(std::size_t base);
  void run_action_set();
  void run_op(const Program& program, const Op& op);
  void look_up(std::uint8_t table_id, PortNo as_in_port, Miss miss, bool is_goto);
  void enter(const Entry* entry, std::uint8_t table_id, std::uint16_t depth, Miss miss,
             bool is_goto);
  void stop(DropReason reason) noexcept;
  void read_key() noexcept;   ///< What follows depends on the packet.
  void read_dscp() noexcept;  ///< What follows depends on what meters made of the DSCP.
  [[nodiscard]] bool consults_dscp(const Classifier& table) const;

  void output(PortNo port, std::uint16_t max_len);
  void send(PortNo port);
  void controller(const Op& op, std::uint8_t reason, const void* userdata, std::uint32_t size);
  void meter(Meter& meter);
  void police(Meter& meter);
  void copy_packet();
  void edit(const Op& op, const std::uint64_t* data);
  void set(FieldId id, const FieldValue& value, const FieldValue& mask);
  void dec_ttl(const Op& op, const std::uint64_t* data);
  void expire(const std::uint64_t* controllers, std::uint64_t count);
  void move(const Op& op);
  void pop_stack(const Op& op);
  void resubmit(const Op& op);
  void write_metadata(const std::uint64_t* data);
  void track(const std::uint64_t* data);

  [[nodiscard]] FieldValue read(FieldId id, unsigned start, unsigned count);
  void write(FieldId id, unsigned start, unsigned count, const FieldValue& value);
  [[nodiscard]] PortNo in_port() const noexcept { return PortNo{key_.in_port.host()}; }
  [[nodiscard]] Frame& frame() noexcept { return frames_[depth_ - 1]; }

  rte_mbuf* copy_;
  Place place_{};
  const rte_mbuf* packet_ = nullptr;
  PortNo ingress_{};
  bool has_copy_ = false;
  bool is_cacheable_ = true;
  bool is_uncovered_ = false;
  bool is_stopped_ = false;
  bool runs_action_set_ = false;
  /// A meter on the way may have changed the DSCP: nobody knows until it is asked.
  bool is_dscp_open_ = false;
  bool needs_policing_ = false;  ///< And something depends on it.
  bool is_policing_ = false;     ///< So meters are asked during the walk.
  Start start_;
  DropReason reason_ = DropReason::kRule;
  unsigned lookups_ = 0;
  std::size_t depth_ = 0;
  std::size_t stack_size_ = 0;
  FlowKey key_{};
  Layers layers_{};
  PathBuilder path_;
  TrailRecorder recorder_;
  ActionSet action_set_;
  std::unique_ptr<Frame[]> frames_;
  std::array<FieldValue, kStack> stack_;
  FlowKey start_key_;
  std::array<FieldValue, kStack> start_stack_;
};

}  // namespace hoist::software
