// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/program.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <string>
#include <vector>

#include "hoist/instructions.hpp"
#include "pipeline/track_op.hpp"

namespace hoist::software {
namespace {

class Compiler {
 public:
  explicit Compiler(const MeterTable& meters) : meters_(meters) {}

  void instructions(const Instructions& in) {
    if (in.meter_id) (*this)(MeterAction{*in.meter_id});
    for (const Action& action : in.apply_actions) std::visit(*this, action);
    if (in.has_clear_actions) emit({.code = OpCode::kClear});
    for (const Action& action : in.write_actions) write(action);
    if (in.write_metadata) {
      emit({.code = OpCode::kMetadata, .d = data_.size()});
      data_.push_back(in.write_metadata->value);
      data_.push_back(in.write_metadata->mask);
    }
    if (in.goto_table) emit({.code = OpCode::kGoto, .a = *in.goto_table});
  }

  [[nodiscard]] ProgramPtr finish(bool is_table_miss) const {
    Program head{};
    head.op_count = static_cast<std::uint32_t>(ops_.size());
    head.data_count = static_cast<std::uint32_t>(data_.size());
    head.is_table_miss = is_table_miss;
    auto* block = static_cast<std::uint8_t*>(::operator new(head.size()));
    auto* program = new (block) Program(head);
    // An empty vector has no data(), and memcpy wants some even for nothing.
    if (!ops_.empty()) std::memcpy(block + sizeof head, ops_.data(), ops_.size() * sizeof(Op));
    if (!data_.empty()) {
      std::memcpy(block + sizeof head + ops_.size() * sizeof(Op), data_.data(),
                  data_.size() * sizeof(std::uint64_t));
    }
    return ProgramPtr(program);
  }

  void operator()(const OutputAction& a) { output(a.port, a.max_len); }
  void operator()(const EnqueueAction& a) { output(a.port, 0xffff); }
  void operator()(const ControllerAction& a) {
    controller(a.reason, a.max_len, a.controller_id, a.userdata);
  }
  void operator()(const OutputRegAction& a) {
    emit({.code = OpCode::kOutputReg,
          .a = to_integer(a.source.field),
          .b = a.max_len,
          .c = PackedBits{a.source.start, 0, a.source.count}.packed()});
  }
  void operator()(const SetFieldAction& a) { set_field(a.field, a.value, a.mask); }
  void operator()(const MoveAction& a) {
    emit({.code = OpCode::kMove,
          .a = to_integer(a.source.field),
          .b = to_integer(a.target.field),
          .c = PackedBits{a.source.start, a.target.start, a.source.count}.packed()});
  }
  void operator()(const SetVlanVidAction& a) {
    emit({.code = OpCode::kSetVlan, .b = a.vlan_vid, .c = kVlanVidMask});
  }
  void operator()(const SetVlanPcpAction& a) {
    const auto tci = static_cast<std::uint16_t>(a.vlan_pcp << 13);
    emit({.code = OpCode::kSetVlan, .b = tci, .c = 0xe000});
  }
  void operator()(const PushVlanAction& a) { emit({.code = OpCode::kPushVlan, .b = a.ethertype}); }
  void operator()(const PopVlanAction&) { emit({.code = OpCode::kPopVlan}); }
  void operator()(const PushMplsAction& a) { emit({.code = OpCode::kPushMpls, .b = a.ethertype}); }
  void operator()(const PopMplsAction& a) { emit({.code = OpCode::kPopMpls, .b = a.ethertype}); }
  void operator()(const SetMplsTtlAction& a) {
    set_field(FieldId::kMplsTtl, field_value(a.ttl), full_mask(field(FieldId::kMplsTtl)));
  }
  void operator()(const SetNwTtlAction& a) {
    set_field(FieldId::kIpTtl, field_value(a.ttl), full_mask(field(FieldId::kIpTtl)));
  }
  void operator()(const DecMplsTtlAction&) { emit({.code = OpCode::kDecMplsTtl}); }
  void operator()(const DecNwTtlAction& a) {
    emit({.code = OpCode::kDecTtl, .d = data_.size()});
    const bool is_plain = a.controller_ids.empty();
    data_.push_back(is_plain ? 1 : a.controller_ids.size());
    if (is_plain) data_.push_back(0);
    for (const std::uint16_t id : a.controller_ids) data_.push_back(id);
  }
  void operator()(const ResubmitAction& a) {
    emit({.code = OpCode::kResubmit, .a = a.table_id, .c = to_integer(a.in_port)});
  }
  void operator()(const StackPushAction& a) {
    emit({.code = OpCode::kStackPush,
          .a = to_integer(a.source.field),
          .c = PackedBits{a.source.start, 0, a.source.count}.packed()});
  }
  void operator()(const StackPopAction& a) {
    emit({.code = OpCode::kStackPop,
          .a = to_integer(a.target.field),
          .c = PackedBits{a.target.start, 0, a.target.count}.packed()});
  }
  void operator()(const ExitAction&) { emit({.code = OpCode::kExit}); }
  void operator()(const CtAction& a) {
    const bool copies = std::ranges::any_of(
        a.exec, [](const auto& e) { return std::holds_alternative<MoveAction>(e); });
    const bool asks_packet = copies || a.zone_source;
    emit({.code = OpCode::kTrack, .a = std::uint8_t{asks_packet}, .d = data_.size()});
    compile_track(a, data_);
  }
  void operator()(const CtClearAction&) { emit({.code = OpCode::kClearTrack}); }
  // Queues are not scheduled here; notes are for people.
  void operator()(const SetQueueAction&) {}
  void operator()(const PopQueueAction&) {}
  void operator()(const NoteAction&) {}
  void operator()(const CopyTtlOutAction&) { emit({.code = OpCode::kCopyTtlOut}); }
  void operator()(const CopyTtlInAction&) { emit({.code = OpCode::kCopyTtlIn}); }
  // Refused by check_instructions().
  void operator()(const GroupAction&) {}

  void operator()(const MeterAction& a) {
    const auto meter = meters_.find(MeterId{a.meter_id});
    if (meter == meters_.end()) return;
    emit({.code = OpCode::kMeter, .d = reinterpret_cast<std::uintptr_t>(meter->second)});
  }

 private:
  void emit(const Op& op) { ops_.push_back(op); }

  void output(PortNo port, std::uint16_t max_len) {
    if (port == PortNo::kController) return controller(kReasonOfOutput, max_len, 0, {});
    emit({.code = OpCode::kOutput, .b = max_len, .c = to_integer(port)});
  }

  void controller(std::uint8_t reason, std::uint16_t max_len, std::uint16_t controller_id,
                  const std::vector<std::uint8_t>& userdata) {
    emit({.code = OpCode::kController,
          .a = reason,
          .b = max_len,
          .c = controller_id,
          .d = data_.size()});
    data_.push_back(userdata.size());
    const std::size_t at = data_.size();
    data_.resize(at + (userdata.size() + 7) / 8);
    if (!userdata.empty()) std::memcpy(&data_[at], userdata.data(), userdata.size());
  }

  void set_field(FieldId id, const FieldValue& value, const FieldValue& mask) {
    emit({.code = OpCode::kSetField, .a = to_integer(id), .d = data_.size()});
    const std::size_t at = data_.size();
    data_.resize(at + 4);
    std::memcpy(&data_[at], value.data(), 16);
    std::memcpy(&data_[at + 2], mask.data(), 16);
  }

  void write(const Action& action);

  const MeterTable& meters_;
  std::vector<Op> ops_;
  std::vector<std::uint64_t> data_;
};

/// Place in the order of OpenFlow 1.3, 5.10; 0: not for an action set.
std::uint8_t action_set_rank(const Op& op) {
  switch (op.code) {
    case OpCode::kCopyTtlIn:
      return 1;
    case OpCode::kPopVlan:
    case OpCode::kPopMpls:
      return 2;
    case OpCode::kPushMpls:
      return 3;
    case OpCode::kPushVlan:
      return 5;
    case OpCode::kCopyTtlOut:
      return 6;
    case OpCode::kDecTtl:
    case OpCode::kDecMplsTtl:
      return 7;
    case OpCode::kSetField:
    case OpCode::kSetVlan:
    case OpCode::kMove:
      return 8;
    default:
      return 11;
  }
}

/// Actions of one kind replace each other in an action set: one output, one set-field a field.
std::uint32_t action_set_kind(const Action& action, const Op& op, std::uint8_t rank) {
  if (rank == 11) return 0xffff;
  const auto index = static_cast<std::uint32_t>(action.index());
  const bool is_by_field = std::holds_alternative<SetFieldAction>(action);
  return index << 8 | (is_by_field ? op.a : 0u);
}

void Compiler::write(const Action& action) {
  const std::size_t at = ops_.size();
  emit({.code = OpCode::kWrite});
  std::visit(*this, action);
  if (ops_.size() != at + 2) {  // Something without an op, such as a note.
    ops_.resize(at);
    return;
  }
  ops_[at].a = action_set_rank(ops_[at + 1]);
  ops_[at].c = action_set_kind(action, ops_[at + 1], ops_[at].a);
}

const char* unsupported(const Action& action) {
  if (std::holds_alternative<GroupAction>(action)) return "group";
  return nullptr;
}

/// What ct cannot do yet, or not where it stands.
const char* unsupported_ct(const Instructions& in) {
  for (const Action& action : in.write_actions) {
    const bool is_ct =
        std::holds_alternative<CtAction>(action) || std::holds_alternative<CtClearAction>(action);
    if (is_ct) return "ct in an action set is not supported";
  }
  for (const Action& action : in.apply_actions) {
    const auto* ct = std::get_if<CtAction>(&action);
    if (ct == nullptr) continue;
    const bool has_helper = ct->alg == 0 || ct->alg == kAlgFtp || ct->alg == kAlgTftp;
    if (!has_helper) return "ct knows no alg but ftp and tftp";
    if (ct->table_id && !in.write_actions.empty()) {
      return "ct with a table beside an action set is not supported yet";
    }
  }
  return nullptr;
}

}  // namespace

Result<void> check_instructions(const Instructions& instructions) {
  if (const char* why = unsupported_ct(instructions)) return failure(Errc::kUnsupported, why);
  for (const auto* list : {&instructions.apply_actions, &instructions.write_actions}) {
    for (const Action& action : *list) {
      if (const char* name = unsupported(action)) {
        return failure(Errc::kUnsupported, std::string("action ") + name + " is not supported yet");
      }
    }
  }
  return {};
}

ProgramPtr compile(const Instructions& instructions, bool is_table_miss, const MeterTable& meters) {
  Compiler compiler(meters);
  compiler.instructions(instructions);
  return compiler.finish(is_table_miss);
}

}  // namespace hoist::software
