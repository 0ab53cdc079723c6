// SPDX-License-Identifier: Apache-2.0
// The profile's `create`: how a credit is created again (design §6). What could make two attempts
// differ, or create something else than the operation says, is a fault.
#include <algorithm>
#include <charconv>

#include "reconcile/profile_parts.hpp"

namespace reconciled {
namespace {

/// Statuses that have their own meaning whatever a profile says (design §6).
constexpr int kTaken[] = {401, 403, 408, 409, 425, 429};

template <class List>
bool holds(const List& list, int value) {
  return std::find(std::begin(list), std::end(list), value) != std::end(list);
}

bool may_mean_success(int status) noexcept { return status >= 200 && status < 300; }
/// Not 5xx: nobody documents a server's failure as "nothing was created, nor will be".
bool may_mean_refused(int status) noexcept {
  return status >= 400 && status < 500 && !holds(kTaken, status);
}

std::vector<int> read_statuses(ProfileFields& create, std::string_view key,
                               bool (*fits)(int) noexcept, const char* what) {
  std::vector<int> result;
  for (const auto& word : create.words(key)) {
    int status = 0;
    const auto* end = word.data() + word.size();
    const auto read = std::from_chars(word.data(), end, status);
    if (read.ec == std::errc{} && read.ptr == end && fits(status) && !holds(result, status))
      result.push_back(status);
    else
      create.fault(*create.find(key), key, yaml::quoted(word) + what);
  }
  return result;
}

Template read_path(ProfileFields& create) {
  const auto text = create.text("path");
  if (text.empty()) return {};
  const auto* node = create.find("path");
  auto path = read_template(text, node->at, create.path_of("path"), create.faults());
  if (path.parts().empty()) return path;
  if (auto fault = fault_of_path(path); !fault.empty()) create.fault(*node, "path", fault);
  return path;
}

/// The entries of the mapping under `key` as templates, each given to `take` with its place.
template <class Take>
void read_templates(ProfileFields& create, std::string_view key, Take take) {
  const auto* node = create.find(key);
  if (node == nullptr) return;
  ProfileFields fields(*node, create.path_of(key), create.faults());
  for (const auto& entry : node->entries) {
    const auto path = fields.path_of(entry.key);
    const auto value = scalar_text(entry.value, path, fields.faults());
    if (value) take(entry, path, read_template(*value, entry.value.at, path, fields.faults()));
  }
}

std::vector<Create::Header> read_create_headers(ProfileFields& create) {
  std::vector<Create::Header> result;
  read_templates(create, "headers", [&](const auto& entry, const auto& path, Template value) {
    auto fault = fault_of_header_name(entry.key);
    const auto folded = lower_case(entry.key);
    for (const auto& known : result)
      if (lower_case(known.name) == folded) fault = "names a header a second time";
    if (fault.empty())
      result.push_back({entry.key, std::move(value)});
    else
      create.faults().push_back({entry.at, path, std::move(fault)});
  });
  return result;
}

std::vector<QueryParameter> read_form(ProfileFields& create) {
  std::vector<QueryParameter> result;
  read_templates(create, "form", [&](const auto& entry, const auto& path, Template value) {
    if (entry.key.empty()) create.faults().push_back({entry.at, path, "a field without a name"});
    result.push_back({read_template(entry.key, entry.at, path, create.faults()), std::move(value)});
  });
  return result;
}

bool content_uses(const Create& create, TemplateValue value) {
  return (create.body && create.body->uses(value)) ||
         std::any_of(create.form.begin(), create.form.end(), [&](const QueryParameter& field) {
           return field.name.uses(value) || field.value.uses(value);
         });
}

bool uses(const Create& create, TemplateValue value) {
  return content_uses(create, value) || create.path.uses(value) ||
         std::any_of(create.headers.begin(), create.headers.end(),
                     [&](const Create::Header& header) { return header.value.uses(value); });
}

bool keyed(const Create& create) {
  return content_uses(create, TemplateValue::operation_id) ||
         std::any_of(create.headers.begin(), create.headers.end(), [](const Create::Header& it) {
           return it.value.uses(TemplateValue::operation_id);
         });
}

/// Without its key a second request is a second credit; without its amount a provider may take
/// "all there is"; and with a time that moves it is another request each time.
void check_content(ProfileFields& create, const Create& read) {
  if (!keyed(read)) create.fault("sends {operation_id}, the key, in no header, body or form");
  if (!content_uses(read, TemplateValue::amount) &&
      !content_uses(read, TemplateValue::amount_minor))
    create.fault("sends neither {amount} nor {amount_minor} in its body or form");
  if (uses(read, TemplateValue::window_start) || uses(read, TemplateValue::window_end))
    create.fault("uses window_start or window_end, which differ from attempt to attempt");
}

void check_statuses(ProfileFields& create, const Create& read, const Guarantees& guarantees) {
  if (read.success.empty() && create.has("success"))
    create.fault(*create.find("success"), "success", "lists nothing");
  for (const auto& documented : guarantees.not_processed)
    if (holds(read.refused, documented.status))
      create.fault(*create.find("refused"), "refused",
                   std::to_string(documented.status) +
                       " is also in guarantees.not_processed; it cannot mean both");
}

}  // namespace

Create read_create(ProfileFields& create, const Guarantees& guarantees) {
  Create result;
  create.word("method", {"POST"});
  result.path = read_path(create);
  result.headers = read_create_headers(create);
  if (const auto* body = create.find("body"))
    result.body = read_body(*body, create.path_of("body"), create.faults());
  result.form = read_form(create);
  if (create.has("body") == create.has("form")) create.fault("needs one of body and form");
  create.required("success");
  result.success = read_statuses(create, "success", may_mean_success,
                                 " is no status from 200 to 299, or comes twice");
  result.refused = read_statuses(create, "refused", may_mean_refused,
                                 " is no status that can mean a refusal for good, or comes twice");
  const auto at = create.optional_pointer("credit_at");
  result.credit_at = RowsPointer::parse(at ? at->text() : "").value_or(RowsPointer{});
  check_content(create, result);
  check_statuses(create, result, guarantees);
  return result;
}

}  // namespace reconciled
