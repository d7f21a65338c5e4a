// SPDX-License-Identifier: BSD-3-Clause
#include "program.hpp"

#include <rte_byteorder.h>

#include <cstring>

#include "modify.hpp"

namespace emulated_nic {
namespace {

/// Actions whose conf goes to the packet as it is.
struct Setter {
  rte_flow_action_type type;
  OpKind kind;
  std::size_t size;
  std::uint32_t needs;  ///< Any of these presence bits in the pattern; 0: an ETH item.
};
constexpr std::uint32_t kL4Ports = kTcp | kUdp;
constexpr Setter kSetters[] = {
    {RTE_FLOW_ACTION_TYPE_SET_MAC_SRC, OpKind::kSetMacSrc, 6, 0},
    {RTE_FLOW_ACTION_TYPE_SET_MAC_DST, OpKind::kSetMacDst, 6, 0},
    {RTE_FLOW_ACTION_TYPE_MAC_SWAP, OpKind::kSwapMac, 0, 0},
    {RTE_FLOW_ACTION_TYPE_SET_IPV4_SRC, OpKind::kSetIpv4Src, 4, kIpv4},
    {RTE_FLOW_ACTION_TYPE_SET_IPV4_DST, OpKind::kSetIpv4Dst, 4, kIpv4},
    {RTE_FLOW_ACTION_TYPE_SET_IPV6_SRC, OpKind::kSetIpv6Src, 16, kIpv6},
    {RTE_FLOW_ACTION_TYPE_SET_IPV6_DST, OpKind::kSetIpv6Dst, 16, kIpv6},
    {RTE_FLOW_ACTION_TYPE_SET_TP_SRC, OpKind::kSetTpSrc, 2, kL4Ports},
    {RTE_FLOW_ACTION_TYPE_SET_TP_DST, OpKind::kSetTpDst, 2, kL4Ports},
    {RTE_FLOW_ACTION_TYPE_SET_TTL, OpKind::kSetTtl, 1, kIpv4 | kIpv6},
    {RTE_FLOW_ACTION_TYPE_DEC_TTL, OpKind::kDecTtl, 0, kIpv4 | kIpv6},
    {RTE_FLOW_ACTION_TYPE_SET_IPV4_DSCP, OpKind::kSetIpv4Dscp, 1, kIpv4},
    {RTE_FLOW_ACTION_TYPE_SET_IPV6_DSCP, OpKind::kSetIpv6Dscp, 1, kIpv6},
};

const Setter* find_setter(rte_flow_action_type type) {
  for (const Setter& setter : kSetters) {
    if (setter.type == type) return &setter;
  }
  return nullptr;
}

class Compiler {
 public:
  explicit Compiler(const ActionScope& scope, bool is_sample)
      : scope_(scope), is_sample_(is_sample) {}

  Answer<Program> compile(const rte_flow_action* actions) {
    program_.ops.reserve(4);  // Few rules have more; growing step by step costs.
    for (; actions->type != RTE_FLOW_ACTION_TYPE_END; ++actions) {
      if (actions->type == RTE_FLOW_ACTION_TYPE_VOID) continue;
      action_ = actions;
      if (auto done = add_action(); !done) return tl::unexpected(done.error());
    }
    action_ = nullptr;
    if (!has_fate_ && !is_sample_) {
      return no(EINVAL, RTE_FLOW_ERROR_TYPE_ACTION, "no fate action");
    }
    return std::move(program_);
  }

 private:
  using Done = Answer<bool>;

  [[nodiscard]] tl::unexpected<Refused> no(int code, rte_flow_error_type type,
                                           const char* message) const {
    return refuse(code, type, action_, message);
  }
  [[nodiscard]] tl::unexpected<Refused> bad_conf(const char* message) const {
    return no(EINVAL, RTE_FLOW_ERROR_TYPE_ACTION_CONF, message);
  }
  template <class Conf>
  [[nodiscard]] const Conf& conf() const {
    return *static_cast<const Conf*>(action_->conf);
  }
  Op& add(OpKind kind) { return program_.ops.emplace_back(Op{.kind = kind}); }
  Extras& extras() {
    if (program_.extras == nullptr) program_.extras = std::make_unique<Extras>();
    return *program_.extras;
  }

  [[nodiscard]] static bool needs_conf(rte_flow_action_type type) {
    switch (type) {
      case RTE_FLOW_ACTION_TYPE_DROP:
      case RTE_FLOW_ACTION_TYPE_COUNT:
      case RTE_FLOW_ACTION_TYPE_FLAG:
      case RTE_FLOW_ACTION_TYPE_DEC_TTL:
      case RTE_FLOW_ACTION_TYPE_MAC_SWAP:
      case RTE_FLOW_ACTION_TYPE_OF_POP_VLAN:
        return false;
      default:
        return true;
    }
  }

  Done add_action() {
    const auto type = action_->type;
    const auto& profile = scope_.profile;
    const ActionSet& known =
        scope_.attr.transfer ? profile.transfer_actions : profile.ingress_actions;
    const auto index = static_cast<std::size_t>(type);
    if (index >= known.size() || !known.test(index)) {
      return no(ENOTSUP, RTE_FLOW_ERROR_TYPE_ACTION, "action not supported");
    }
    if (needs_conf(type) && action_->conf == nullptr) {
      return bad_conf("action lacks its configuration");
    }
    if (const Setter* setter = find_setter(type)) return add_setter(*setter);
    switch (type) {
      case RTE_FLOW_ACTION_TYPE_DROP:
      case RTE_FLOW_ACTION_TYPE_QUEUE:
      case RTE_FLOW_ACTION_TYPE_RSS:
      case RTE_FLOW_ACTION_TYPE_JUMP:
      case RTE_FLOW_ACTION_TYPE_PORT_ID:
      case RTE_FLOW_ACTION_TYPE_REPRESENTED_PORT:
      case RTE_FLOW_ACTION_TYPE_PORT_REPRESENTOR:
        return add_fate();
      case RTE_FLOW_ACTION_TYPE_COUNT:
        return add_count();
      case RTE_FLOW_ACTION_TYPE_AGE:
        return add_age();
      case RTE_FLOW_ACTION_TYPE_INDIRECT:
        add(OpKind::kIndirect).target = const_cast<void*>(action_->conf);
        return true;
      case RTE_FLOW_ACTION_TYPE_METER:
        if (has_meter_) return no(EINVAL, RTE_FLOW_ERROR_TYPE_ACTION, "a second METER");
        has_meter_ = true;
        add(OpKind::kMeter).number = conf<rte_flow_action_meter>().mtr_id;
        return true;
      case RTE_FLOW_ACTION_TYPE_MARK:
      case RTE_FLOW_ACTION_TYPE_FLAG:
        return add_mark();
      case RTE_FLOW_ACTION_TYPE_SET_META:
        return add_meta();
      case RTE_FLOW_ACTION_TYPE_SET_TAG:
        return add_tag();
      case RTE_FLOW_ACTION_TYPE_SAMPLE:
        return add_sample();
      case RTE_FLOW_ACTION_TYPE_MODIFY_FIELD:
        return add_modify();
      default:
        return add_vlan();
    }
  }

  Done add_fate() {
    if (has_fate_) return no(EINVAL, RTE_FLOW_ERROR_TYPE_ACTION, "a second fate action");
    has_fate_ = true;
    switch (action_->type) {
      case RTE_FLOW_ACTION_TYPE_DROP:
        add(OpKind::kDrop);
        return true;
      case RTE_FLOW_ACTION_TYPE_QUEUE:
        if (conf<rte_flow_action_queue>().index >= scope_.rx_queue_count) {
          return bad_conf("no such receive queue");
        }
        add(OpKind::kQueue).port = conf<rte_flow_action_queue>().index;
        return true;
      case RTE_FLOW_ACTION_TYPE_RSS:
        return add_rss();
      case RTE_FLOW_ACTION_TYPE_JUMP:
        return add_jump();
      default:
        return add_port();
    }
  }

  Done add_rss() {
    const auto& rss = conf<rte_flow_action_rss>();
    if (rss.queue_num == 0 || rss.queue == nullptr) return bad_conf("RSS without queues");
    for (std::uint32_t i = 0; i < rss.queue_num; ++i) {
      if (rss.queue[i] >= scope_.rx_queue_count) return bad_conf("no such receive queue");
    }
    extras().rss = {.queues = {rss.queue, rss.queue + rss.queue_num}, .types = rss.types};
    add(OpKind::kRss);
    return true;
  }

  Done add_jump() {
    const std::uint32_t group = conf<rte_flow_action_jump>().group;
    if (group > scope_.profile.group_max) return bad_conf("no such group");
    if (group == 0) return bad_conf("group 0 cannot be jumped to");
    if (group == scope_.attr.group) return bad_conf("jump to the rule's own group");
    if (group < scope_.attr.group && !scope_.profile.jump_backward) {
      return bad_conf("jump to a lower group");
    }
    add(OpKind::kJump).number = group;
    return true;
  }

  Done add_port() {
    std::uint32_t port = scope_.port;
    if (action_->type == RTE_FLOW_ACTION_TYPE_PORT_ID) {
      const auto& port_id = conf<rte_flow_action_port_id>();
      if (!port_id.original) port = port_id.id;
    } else {
      port = conf<rte_flow_action_ethdev>().port_id;
    }
    if (port >= RTE_MAX_ETHPORTS || !scope_.is_port(static_cast<std::uint16_t>(port))) {
      return bad_conf("no such port in the switch domain");
    }
    const bool to_application = action_->type == RTE_FLOW_ACTION_TYPE_PORT_REPRESENTOR;
    add(to_application ? OpKind::kRepresentor : OpKind::kPort).port =
        static_cast<std::uint16_t>(port);
    return true;
  }

  Done add_count() {
    if (program_.has_count) return no(EINVAL, RTE_FLOW_ERROR_TYPE_ACTION, "a second COUNT");
    program_.has_count = true;
    add(OpKind::kCount);
    return true;
  }

  Done add_age() {
    const auto& age = conf<rte_flow_action_age>();
    if (program_.has_age) return no(EINVAL, RTE_FLOW_ERROR_TYPE_ACTION, "a second AGE");
    if (age.timeout == 0) return bad_conf("AGE needs a timeout");
    program_.has_age = true;
    program_.age_timeout_s = age.timeout;
    program_.age_context = age.context;
    add(OpKind::kAge);
    return true;
  }

  Done add_mark() {
    if (scope_.attr.transfer && !scope_.profile.mark_crosses_domains) {
      return no(ENOTSUP, RTE_FLOW_ERROR_TYPE_ACTION, "no MARK in transfer rules");
    }
    if (has_mark_) return no(EINVAL, RTE_FLOW_ERROR_TYPE_ACTION, "a second MARK or FLAG");
    has_mark_ = true;
    if (action_->type == RTE_FLOW_ACTION_TYPE_FLAG) {
      add(OpKind::kFlag);
      return true;
    }
    const std::uint32_t id = conf<rte_flow_action_mark>().id;
    if (id > scope_.profile.mark_max) return bad_conf("mark is too large");
    add(OpKind::kMark).number = id;
    return true;
  }

  Done add_meta() {
    if (scope_.attr.transfer && !scope_.profile.mark_crosses_domains) {
      return no(ENOTSUP, RTE_FLOW_ERROR_TYPE_ACTION, "no META in transfer rules");
    }
    const auto& meta = conf<rte_flow_action_set_meta>();
    if (meta.mask == 0) return bad_conf("zero mask");
    Op& op = add(OpKind::kSetMeta);
    op.number = meta.data;
    op.mask = meta.mask;
    return true;
  }

  Done add_tag() {
    const auto& tag = conf<rte_flow_action_set_tag>();
    if (tag.mask == 0) return bad_conf("zero mask");
    if (tag.index >= scope_.profile.tag_count) return bad_conf("no such TAG");
    Op& op = add(OpKind::kSetTag);
    op.index = tag.index;
    op.number = tag.data;
    op.mask = tag.mask;
    return true;
  }

  Done add_setter(const Setter& setter) {
    const bool is_fine =
        setter.needs == 0 ? scope_.pattern.matches_eth : scope_.pattern.demands_any(setter.needs);
    if (!is_fine) {
      return no(EINVAL, RTE_FLOW_ERROR_TYPE_ACTION, "the pattern lacks the header to be written");
    }
    Op& op = add(setter.kind);
    if (setter.size != 0) std::memcpy(op.bytes.data(), action_->conf, setter.size);
    return true;
  }

  Done add_vlan() {
    const bool may_have_tag = scope_.pattern.matches_vlan || has_pushed_;
    switch (action_->type) {
      case RTE_FLOW_ACTION_TYPE_OF_POP_VLAN:
        if (scope_.profile.pop_vlan_needs_match && !scope_.pattern.matches_vlan) {
          return no(ENOTSUP, RTE_FLOW_ERROR_TYPE_ACTION, "VLAN pop without a match on VLAN");
        }
        add(OpKind::kPopVlan);
        return true;
      case RTE_FLOW_ACTION_TYPE_OF_PUSH_VLAN:
        return add_push_vlan();
      case RTE_FLOW_ACTION_TYPE_OF_SET_VLAN_VID: {
        const std::uint16_t vid =
            rte_be_to_cpu_16(conf<rte_flow_action_of_set_vlan_vid>().vlan_vid);
        if (vid > 0xffe) return bad_conf("VLAN id out of range");
        if (!may_have_tag) break;
        add(OpKind::kSetVlanVid).port = vid;
        return true;
      }
      case RTE_FLOW_ACTION_TYPE_OF_SET_VLAN_PCP:
        if (conf<rte_flow_action_of_set_vlan_pcp>().vlan_pcp > 7) {
          return bad_conf("VLAN priority out of range");
        }
        if (!may_have_tag) break;
        add(OpKind::kSetVlanPcp).port = conf<rte_flow_action_of_set_vlan_pcp>().vlan_pcp;
        return true;
      default:
        return no(ENOTSUP, RTE_FLOW_ERROR_TYPE_ACTION, "action not supported");
    }
    return no(EINVAL, RTE_FLOW_ERROR_TYPE_ACTION, "no VLAN tag to be written");
  }

  Done add_push_vlan() {
    const rte_be16_t type = conf<rte_flow_action_of_push_vlan>().ethertype;
    if (type != RTE_BE16(0x8100) && type != RTE_BE16(0x88a8)) {
      return bad_conf("not a VLAN's EtherType");
    }
    if (!scope_.attr.transfer && !scope_.profile.push_vlan_in_ingress) {
      return no(ENOTSUP, RTE_FLOW_ERROR_TYPE_ACTION, "no VLAN push in ingress rules");
    }
    has_pushed_ = true;
    add(OpKind::kPushVlan).port = rte_be_to_cpu_16(type);
    return true;
  }

  Done add_sample() {
    const auto& sample = conf<rte_flow_action_sample>();
    if (is_sample_ || (program_.extras != nullptr && program_.extras->sample != nullptr)) {
      return no(EINVAL, RTE_FLOW_ERROR_TYPE_ACTION, "a second SAMPLE");
    }
    if (sample.ratio == 0) return bad_conf("sample ratio of 0");
    if (sample.actions == nullptr) return bad_conf("SAMPLE without actions");
    auto inner = Compiler(scope_, true).compile(sample.actions);
    if (!inner) return tl::unexpected(inner.error());
    extras().sample = std::make_unique<Program>(std::move(*inner));
    add(OpKind::kSample).number = sample.ratio;
    return true;
  }

  Done add_modify() {
    const auto& modify = conf<rte_flow_action_modify_field>();
    if (scope_.attr.group == 0) {
      return no(ENOTSUP, RTE_FLOW_ERROR_TYPE_ACTION, "MODIFY_FIELD is not for group 0");
    }
    Modify compiled{.conf = modify, .value = {}};
    if (auto fine = check_modified(modify.dst, modify.width); !fine) return fine;
    switch (modify.src.field) {
      case RTE_FLOW_FIELD_VALUE:
        std::memcpy(compiled.value.data(), modify.src.value, compiled.value.size());
        break;
      case RTE_FLOW_FIELD_POINTER:
        if (modify.src.pvalue == nullptr) return bad_conf("null pointer as source");
        std::memcpy(compiled.value.data(), modify.src.pvalue,
                    (modify_field_width(modify.dst.field) + 7) / 8);
        break;
      default:
        if (auto fine = check_modified(modify.src, modify.width); !fine) return fine;
    }
    add(OpKind::kModify).index = static_cast<std::uint8_t>(extras().modifies.size());
    extras().modifies.push_back(compiled);
    return true;
  }

  [[nodiscard]] Done check_modified(const rte_flow_action_modify_data& data,
                                    std::uint32_t width) const {
    const auto index = static_cast<std::size_t>(data.field);
    const ModifyFieldSet& known = scope_.profile.modify_fields;
    if (index >= known.size() || !known.test(index)) {
      return no(ENOTSUP, RTE_FLOW_ERROR_TYPE_ACTION, "field cannot be modified or copied");
    }
    const unsigned bits = modify_field_width(data.field);
    if (width == 0 || data.offset >= bits || width > bits - data.offset) {
      return bad_conf("bits beyond the field");
    }
    const bool is_tag = data.field == RTE_FLOW_FIELD_TAG;
    if (is_tag && data.level >= scope_.profile.tag_count) return bad_conf("no such TAG");
    if (!is_tag && data.level > 1) {
      return no(ENOTSUP, RTE_FLOW_ERROR_TYPE_ACTION, "only outermost headers are modified");
    }
    return true;
  }

  const ActionScope& scope_;
  const bool is_sample_;
  Program program_;
  const rte_flow_action* action_ = nullptr;
  bool has_fate_ = false;
  bool has_mark_ = false;
  bool has_meter_ = false;
  bool has_pushed_ = false;
};

}  // namespace

Answer<Program> compile_actions(const ActionScope& scope, const rte_flow_action* actions) {
  if (actions == nullptr) {
    return refuse(EINVAL, RTE_FLOW_ERROR_TYPE_ACTION_NUM, nullptr, "no actions");
  }
  return Compiler(scope, false).compile(actions);
}

}  // namespace emulated_nic
