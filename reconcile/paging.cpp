// SPDX-License-Identifier: Apache-2.0
#include "reconcile/paging.hpp"

#include <charconv>

#include "base/overloaded.hpp"
#include "reconcile/next_url.hpp"

namespace reconciled {
namespace {

using Turn = PageWalk::Turn;

constexpr std::string_view kEmptyPage = "an empty page that says there is more";
constexpr std::string_view kLoop = "the listing loops: a cursor came twice";

std::string place(const JsonPointer& at) { return " at \"" + at.text() + "\""; }

std::optional<std::size_t> as_count(std::string_view text) noexcept {
  std::size_t count = 0;
  const auto* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, count);
  if (read.ec != std::errc{} || read.ptr != end) return std::nullopt;
  return count;
}

std::optional<std::size_t> count_at(const JsonPointer& at, const json::Node& root) noexcept {
  const auto* node = at.resolve(root);
  const auto text = node == nullptr ? std::nullopt : node->scalar();
  return text ? as_count(*text) : std::nullopt;
}

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
  return PageWalk::More{std::string(id->text), id->is(json::Kind::number)};
}

/// A cursor or a page number that the answer itself names.
Turn after_named(const JsonPointer& at, const json::Node& root) {
  const auto* next = at.resolve(root);
  if (next == nullptr || next->is(json::Kind::null)) return PageWalk::Last{};
  if (!next->is(json::Kind::string) && !next->is(json::Kind::number))
    return PageWalk::Undeclared{std::string(json::describe(next->kind)) + " instead of a cursor" +
                                place(at)};
  if (next->text.empty()) return PageWalk::Last{};
  return PageWalk::More{std::string(next->text), next->is(json::Kind::number)};
}

Turn after_header(const HeaderCursorPaging& paging, const HttpAnswer& answer) {
  std::string cursor;
  for (const auto& [name, value] : answer.headers) {
    if (name != paging.header || value.empty() || value == cursor) continue;
    if (!cursor.empty()) return PageWalk::Undeclared{"two cursors in header " + paging.header};
    cursor = value;
  }
  if (cursor.empty()) return PageWalk::Last{};
  return PageWalk::More{std::move(cursor)};
}

Turn follow(const std::string& asked, std::string_view target) {
  auto resolved = resolve_same_origin(asked, target);
  if (auto* url = std::get_if<std::string>(&resolved)) return PageWalk::Follow{std::move(*url)};
  return PageWalk::Stuck{"the next page's URL is not followed: " +
                         std::get<NotFollowed>(resolved).why};
}

Turn after_url(const NextUrlPaging& paging, const json::Node& root, const std::string& asked) {
  const auto* next = paging.at.resolve(root);
  if (next == nullptr || next->is(json::Kind::null)) return PageWalk::Last{};
  if (!next->is(json::Kind::string))
    return PageWalk::Undeclared{std::string(json::describe(next->kind)) + " instead of a URL" +
                                place(paging.at)};
  if (next->text.empty()) return PageWalk::Last{};
  return follow(asked, next->text);
}

Turn after_link(const HttpAnswer& answer, const std::string& asked) {
  const auto next = next_link(answer.headers);
  if (std::holds_alternative<NoNextLink>(next)) return PageWalk::Last{};
  if (const auto* fault = std::get_if<NotFollowed>(&next)) return PageWalk::Undeclared{fault->why};
  return follow(asked, std::get<std::string>(next));
}

}  // namespace

const std::string& PageWalk::parameter() const {
  static const std::string kNone;
  return std::visit(
      overloaded{[](const NoPaging&) -> const std::string& { return kNone; },
                 [](const NextUrlPaging&) -> const std::string& { return kNone; },
                 [](const LinkHeaderPaging&) -> const std::string& { return kNone; },
                 [](const auto& paging) -> const std::string& { return paging.param; }},
      paging_);
}

bool PageWalk::in_body() const {
  return std::visit(
      overloaded{[](const NoPaging&) { return false; }, [](const NextUrlPaging&) { return false; },
                 [](const LinkHeaderPaging&) { return false; },
                 [](const auto& paging) { return paging.in_body; }},
      paging_);
}

std::optional<std::string> PageWalk::first() {
  if (std::holds_alternative<OffsetPaging>(paging_)) return *seen_.insert("0").first;
  const auto* numbered = std::get_if<PagePaging>(&paging_);
  if (numbered == nullptr || !numbered->first) return std::nullopt;
  number_ = *numbered->first;
  return *seen_.insert(std::to_string(number_)).first;
}

Turn PageWalk::counted(const PagePaging& paging, const json::Node& root,
                       const RowsRead& page) const {
  if (paging.next_at) return after_named(*paging.next_at, root);
  const More following{std::to_string(number_ + 1), true};
  if (!paging.pages_at) {
    if (page.rows < paging.until_short) return Last{};
    return following;
  }
  const auto pages = count_at(*paging.pages_at, root);
  if (!pages) return Undeclared{"no number of pages" + place(*paging.pages_at)};
  // Pages that are counted from 0 end one before their number.
  const auto last = *pages + static_cast<std::size_t>(paging.first.value_or(1));
  if (static_cast<std::size_t>(number_) + 1 >= last) return Last{};
  return following;
}

Turn PageWalk::after_rows(const OffsetPaging& paging, const RowsRead& page) const {
  const bool ended = total_ ? rows_ >= *total_ : page.rows < paging.page_rows;
  if (ended) return Last{};
  return More{std::to_string(rows_), true};
}

Turn PageWalk::announced(const json::Node& root, const RowsRead& page, const HttpAnswer& answer,
                         const std::string& url) const {
  return std::visit(
      overloaded{[](const NoPaging&) -> Turn { return Last{}; },
                 [&](const LastIdPaging& paging) { return after_last_id(paging, root, page); },
                 [&](const CursorPaging& paging) { return after_named(paging.cursor_at, root); },
                 [&](const HeaderCursorPaging& paging) { return after_header(paging, answer); },
                 [&](const NextUrlPaging& paging) { return after_url(paging, root, url); },
                 [&](const LinkHeaderPaging&) { return after_link(answer, url); },
                 [&](const PagePaging& paging) { return counted(paging, root, page); },
                 [&](const OffsetPaging& paging) { return after_rows(paging, page); }},
      paging_);
}

/// Remembers what the answer says of the whole listing; why it does not, or empty.
std::string PageWalk::note_total(const json::Node& root, const HttpAnswer& answer) {
  const auto* numbered = std::get_if<PagePaging>(&paging_);
  if (numbered != nullptr && numbered->pages_at) {
    const auto pages = count_at(*numbered->pages_at, root);
    total_changed_ = page_count_ && pages && *page_count_ != *pages;
    page_count_ = pages;
  }
  if (std::holds_alternative<std::monostate>(total_rule_)) return {};
  const auto* at = std::get_if<JsonPointer>(&total_rule_);
  const auto total = at != nullptr ? count_at(*at, root)
                                   : as_count(answer.header(std::get<std::string>(total_rule_)));
  if (!total)
    return "no total number of rows" +
           (at != nullptr ? place(*at) : " in header " + std::get<std::string>(total_rule_));
  total_changed_ = total_changed_ || (total_ && *total_ != *total);
  total_ = total;
  return {};
}

Turn PageWalk::next(const json::Node& root, const RowsRead& page, const HttpAnswer& answer,
                    const std::string& url) {
  ++pages_;
  rows_ += page.rows;
  if (auto why = note_total(root, answer); !why.empty()) return Undeclared{std::move(why)};
  if (total_changed_) return Stuck{"the listing changed while it was read: another total"};
  auto turn = announced(root, page, answer, url);
  const auto* more = std::get_if<More>(&turn);
  const auto* onward = std::get_if<Follow>(&turn);
  if (std::holds_alternative<Last>(turn) && total_ && rows_ < *total_)
    return Stuck{"the listing ended before its own total"};
  if (more == nullptr && onward == nullptr) return turn;
  if (page.rows == 0) return Stuck{std::string(kEmptyPage)};
  if (onward != nullptr) seen_.insert(url);
  if (!seen_.insert(more != nullptr ? more->value : onward->url).second)
    return Stuck{std::string(kLoop)};
  if (pages_ >= max_pages_)
    return Stuck{"more than max_pages (" + std::to_string(max_pages_) + ")"};
  ++number_;
  return turn;
}

}  // namespace reconciled
