// SPDX-License-Identifier: Apache-2.0
#include "reconcile/paging.hpp"

#include "base/overloaded.hpp"

namespace reconciled {
namespace {

using Turn = PageWalk::Turn;

constexpr std::string_view kEmptyPage = "an empty page that says there is more";

std::string place(const JsonPointer& at) { return " at \"" + at.text() + "\""; }

Turn after_last_id(const LastIdPaging& paging, const json::Node& root, const RowsRead& page) {
  const auto* more = paging.more_at.resolve(root);
  if (more == nullptr || !more->is(json::Kind::boolean))
    return PageWalk::Undeclared{"no true or false" + place(paging.more_at)};
  if (more->text == "false") return PageWalk::Last{};
  if (page.last == nullptr) return PageWalk::Stuck{std::string(kEmptyPage)};
  const auto* id = paging.id_at.resolve(*page.last);
  const bool is_id = id != nullptr && (id->is(json::Kind::string) || id->is(json::Kind::number));
  if (!is_id || id->text.empty())
    return PageWalk::Undeclared{"no id of the last row" + place(paging.id_at)};
  return PageWalk::More{std::string(id->text)};
}

/// A cursor or a page number that the answer itself names.
Turn after_named(const JsonPointer& at, const json::Node& root) {
  const auto* next = at.resolve(root);
  if (next == nullptr || next->is(json::Kind::null)) return PageWalk::Last{};
  if (!next->is(json::Kind::string) && !next->is(json::Kind::number))
    return PageWalk::Undeclared{std::string(json::describe(next->kind)) + " instead of a cursor" +
                                place(at)};
  if (next->text.empty()) return PageWalk::Last{};
  return PageWalk::More{std::string(next->text)};
}

}  // namespace

const std::string& PageWalk::parameter() const {
  static const std::string kNone;
  return std::visit(
      overloaded{[](const NoPaging&) -> const std::string& { return kNone; },
                 [](const auto& paging) -> const std::string& { return paging.param; }},
      paging_);
}

std::optional<std::string> PageWalk::first() {
  const auto* numbered = std::get_if<PagePaging>(&paging_);
  if (numbered == nullptr || !numbered->first) return std::nullopt;
  number_ = *numbered->first;
  return *seen_.insert(std::to_string(number_)).first;
}

Turn PageWalk::announced(const json::Node& root, const RowsRead& page) const {
  return std::visit(
      overloaded{[](const NoPaging&) -> Turn { return Last{}; },
                 [&](const LastIdPaging& paging) { return after_last_id(paging, root, page); },
                 [&](const CursorPaging& paging) { return after_named(paging.cursor_at, root); },
                 [&](const PagePaging& paging) -> Turn {
                   if (paging.next_at) return after_named(*paging.next_at, root);
                   if (page.rows < paging.until_short) return Last{};
                   return More{std::to_string(number_ + 1)};
                 }},
      paging_);
}

Turn PageWalk::next(const json::Node& root, const RowsRead& page) {
  ++pages_;
  auto turn = announced(root, page);
  const auto* more = std::get_if<More>(&turn);
  if (more == nullptr) return turn;
  if (page.rows == 0) return Stuck{std::string(kEmptyPage)};
  if (!seen_.insert(more->value).second) return Stuck{"the listing loops: a cursor came twice"};
  if (pages_ >= max_pages_)
    return Stuck{"more than max_pages (" + std::to_string(max_pages_) + ")"};
  ++number_;
  return turn;
}

}  // namespace reconciled
