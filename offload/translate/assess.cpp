// SPDX-License-Identifier: BSD-3-Clause
#include "translate/assess.hpp"

#include "translate/lower.hpp"

namespace hoist::offload {
namespace {

Refused no_group(std::uint8_t table_id, const Context& context) {
  return Refused{Refusal::kGroupUnsupported,
                 "table " + std::to_string(table_id) + " has no group on " + context.ports.label};
}

std::uint8_t count_rules(const HwMatches& matches, const HwProgram& program,
                         const Context& context) {
  std::uint8_t one = 1;
  if (program.never_back != EthdevId::kNone) ++one;
  if (program.needs_ttl_guard) {
    one = static_cast<std::uint8_t>(one +
                                    (can_mask_ttl(matches.forms[0], context.capabilities) ? 1 : 2));
  }
  return static_cast<std::uint8_t>(one * matches.count);
}

/// dec_ttl needs a TTL row for its guard, and "never back" a port to name.
std::optional<Refused> check_exceptions(const HwForm& form, const Context& context) {
  const Capabilities& c = context.capabilities;
  if (form.program.never_back != EthdevId::kNone && c.match_port == PortMatch::kNone) {
    return Refused{Refusal::kActionUnsupported,
                   "action: output needs a match on in_port on " + context.ports.label};
  }
  if (!form.program.needs_ttl_guard) return std::nullopt;
  for (std::size_t i = 0; i < kMatchRows.size(); ++i) {
    const bool is_row = kMatchRows[i].field == FieldId::kIpTtl &&
                        kMatchRows[i].item == form.matches.forms[0].at(Layer::kL3).type;
    if (is_row && (c.match_exact.test(i) || c.match_masked.test(i))) return std::nullopt;
  }
  return Refused{Refusal::kActionUnsupported,
                 "action: dec_ttl needs a match on nw_ttl, which has no "
                 "hardware form on " +
                     context.ports.label};
}

}  // namespace

std::variant<HwForm, Refused> translate(const RuleSpec& rule, const Context& context,
                                        const Layout& layout) {
  const Match match = rule.match.expand();
  auto program = translate_actions(match, rule, context);
  if (auto* refused = std::get_if<Refused>(&program)) {
    // A match that has no form either is the first thing to say.
    auto matches = translate_match(match, context, Precision::kExact);
    if (auto* no_match = std::get_if<Refused>(&matches)) return *no_match;
    return *refused;
  }
  // Made where it is returned: forms are large.
  std::variant<HwForm, Refused> out(std::in_place_type<HwForm>);
  HwForm& form = std::get<HwForm>(out);
  form.program = std::get<HwProgram>(program);
  auto matches = translate_match(match, context, Precision::kExact, form.program.needed);
  if (auto* refused = std::get_if<Refused>(&matches)) return *refused;
  form.matches = std::get<HwMatches>(matches);
  if (form.matches.is_steered) {
    return Refused{Refusal::kFieldUnsupported, "match: fragments go to software"};
  }
  if (rule.table_id >= layout.table_count) return no_group(rule.table_id, context);
  const HwFate& fate = form.program.fate;
  if (fate.kind == HwFate::Kind::kTable && fate.table_id >= layout.table_count) {
    return no_group(fate.table_id, context);
  }
  if (auto refused = check_exceptions(form, context)) return *refused;
  return out;
}

HwMatches guard_match(const RuleSpec& rule, const Context& context) {
  const Match match = rule.match.expand();
  auto exact = translate_match(match, context, Precision::kExact);
  if (auto* matches = std::get_if<HwMatches>(&exact)) return *matches;
  return std::get<HwMatches>(translate_match(match, context, Precision::kWide));
}

Assessment assess(const RuleSpec& rule, const Context& context, const Layout& layout) {
  Assessment out;
  const auto full = translate(rule, context, layout);
  const auto* form = std::get_if<HwForm>(&full);
  if (form != nullptr) {
    out.is_never = form->matches.is_never;
    out.is_bound = form->program.meter.has_value();
    out.needs_tags = form->matches.needs_tags || form->program.needs_tags;
    out.full = Cost{count_rules(form->matches, form->program, context), form->matches.hazards};
    if (form->program.fate.kind == HwFate::Kind::kTable)
      out.next_table = form->program.fate.table_id;
  } else {
    out.refused = std::get<Refused>(full);
  }
  const Match match = rule.match.expand();
  // Actions that need no items of their own leave the match as it is.
  const bool is_same = form != nullptr && !form->program.needed.l3 && !form->program.needed.l4;
  std::variant<HwMatches, Refused> other;
  if (!is_same) other = translate_match(match, context, Precision::kExact);
  const auto* exact = is_same ? &form->matches : std::get_if<HwMatches>(&other);
  if (exact == nullptr) {
    other = translate_match(match, context, Precision::kWide);
  } else if (context.capabilities.has(Feature::kMark) && !exact->is_steered) {
    out.partial = Cost{exact->count, exact->hazards};
  }
  const HwMatches& matches = is_same ? *exact : std::get<HwMatches>(other);
  out.is_never |= matches.is_never;
  out.matched = MiniMatch(matches.matched);
  out.guard = Cost{matches.count, matches.hazards};
  if (rule.table_id >= layout.table_count || out.is_never)
    out.full = out.partial = out.guard = std::nullopt;
  if (rule.table_id != 0 && !context.capabilities.has(Feature::kMark)) out.guard = std::nullopt;
  return out;
}

}  // namespace hoist::offload
