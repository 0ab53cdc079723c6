// SPDX-License-Identifier: Apache-2.0
// The profile's `guarantees`: what the provider promises in writing.
#include "reconcile/profile_parts.hpp"

namespace reconciled {
namespace {

KeyRetention read_key_retention(ProfileFields& guarantees) {
  using Kind = KeyRetention::Kind;
  const auto text = guarantees.text("key_retention");
  if (text == "permanent") return {Kind::permanent, {}};
  if (text == "none") return {Kind::none, {}};
  if (text.empty() || text == "undocumented") return {Kind::undocumented, {}};
  const auto length = parse_duration(text);
  if (length && *length > Duration::zero()) return {Kind::finite, *length};
  guarantees.fault(
      *guarantees.find("key_retention"), "key_retention",
      yaml::quoted(text) + " is no duration such as 24h, nor permanent, none or undocumented");
  return {};
}

NotProcessed read_not_processed(ProfileFields& fields) {
  constexpr std::int64_t kFirst = 400;
  constexpr std::int64_t kLast = 599;
  NotProcessed result;
  fields.required("status");
  result.status = static_cast<int>(fields.optional_number("status", kFirst, kLast).value_or(0));
  result.with_header = fields.optional_text("with_header").value_or("");
  if (!result.with_header.empty() && !is_header_name(result.with_header))
    fields.fault(*fields.find("with_header"), "with_header", "is no name of a header");
  fields.finish();
  return result;
}

}  // namespace

Guarantees read_guarantees(ProfileFields& guarantees) {
  Guarantees result;
  result.source = guarantees.text("source");
  result.key_retention = read_key_retention(guarantees);
  result.concurrent_same_key_atomic =
      guarantees.word("concurrent_same_key", {"undocumented", "atomic"}) == std::size_t{1};
  result.same_parameters_enforced =
      guarantees.word("same_parameters", {"undocumented", "enforced"}) == std::size_t{1};
  result.visibility_lag = guarantees.duration("visibility_lag");
  result.processing_time = guarantees.duration("processing_time");
  const auto* list = guarantees.find("not_processed");
  if (list == nullptr) return result;
  if (list->kind != yaml::Kind::sequence) {
    guarantees.fault(*list, "not_processed", "must be a list, such as [{status: 429}]");
    return result;
  }
  for (std::size_t i = 0; i < list->items.size(); ++i) {
    ProfileFields fields(list->items[i],
                         guarantees.path_of("not_processed") + "[" + std::to_string(i) + "]",
                         guarantees.faults());
    result.not_processed.push_back(read_not_processed(fields));
  }
  return result;
}

}  // namespace reconciled
