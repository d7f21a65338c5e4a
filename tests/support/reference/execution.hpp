// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include "support/reference/action_set.hpp"
#include "support/reference/conversation.hpp"
#include "support/reference/interpreter.hpp"

namespace hoist::reference {

/// One packet on its way through a bridge.
class Execution {
 public:
  Execution(Interpreter& bridge, PortNo in_port, const Bytes& frame);

  void run_pipeline();
  void run_packet_out(const ActionList& actions);
  /// To be called last.
  Fate finish();

 private:
  struct Perform;
  enum class Miss : std::uint8_t { kDrops, kIsNothing };

  void look_up(std::uint8_t table_id, PortNo as_in_port, Miss miss);
  /// look_up() from among actions, which go on in their own rule's name.
  void visit(std::uint8_t table_id, PortNo as_in_port, Miss miss);
  void run_rule(const RuleSpec& rule);
  void run_actions(const ActionList& actions);
  void run_action_set();
  void police(MeterId id);

  void output(PortNo port, std::uint16_t max_len);
  void send(PortNo port);
  void flood(bool heeds_no_flood);
  void forward_normally();
  void give_controller(PacketIn packet_in);
  void expire_ttl(const std::vector<std::uint16_t>& controller_ids);
  // tracking.cpp
  void track(const CtAction& action);
  [[nodiscard]] bool find_out(const CtAction& action, std::uint16_t zone);
  [[nodiscard]] bool meet(const CtAction& action, std::uint16_t zone);
  void translate();
  /// `asked`: the packet's fields when it came to the action.
  void label(const CtAction& action, const FlowKey& asked);
  void clear_tracked();
  void write_tracked();
  [[nodiscard]] std::uint64_t now_ms() const;
  void add(Fate other);

  void lose(DropReason reason);
  /// Nothing more happens to the packet.
  void stop(DropReason reason);

  [[nodiscard]] PortNo in_port() const { return static_cast<PortNo>(key_.in_port.host()); }
  [[nodiscard]] FieldValue read(const FieldBits& bits) const;
  void write(const FieldBits& bits, const FieldValue& value);
  void write_field(FieldId id, const FieldValue& value, const FieldValue& mask);
  [[nodiscard]] bool has_field(FieldId id) const;
  /// Finds the packet's fields anew; pipeline state stays.
  void parse();

  Interpreter& bridge_;
  Bytes frame_;
  std::size_t ingress_bytes_;
  FlowKey key_{};
  ActionSet action_set_;
  std::vector<FieldValue> stack_;
  /// Addresses that NORMAL has seen: known from the next packet on.
  std::vector<std::pair<std::pair<MacAddress, std::uint16_t>, PortNo>> learned_;
  /// What tracking knows of the packet, even where rules are not told.
  struct Track {
    std::uint16_t zone = 0;
    std::uint32_t state = 0;
    std::optional<Conversation> packet;
    std::optional<std::size_t> connection;
    bool is_reply = false;
  };
  Track track_;
  const RuleSpec* rule_ = nullptr;  ///< Whose actions are running.
  std::uint8_t table_id_ = 0;
  unsigned lookups_ = 0;
  bool is_stopped_ = false;
  bool runs_action_set_ = false;           ///< Although it is stopped.
  DropReason reason_ = DropReason::kRule;  ///< For a packet that goes nowhere.
  Fate fate_;
};

}  // namespace hoist::reference
