// SPDX-License-Identifier: Apache-2.0
#include "sql/parameters.hpp"

namespace reconciled::sql {

void Array::separate() { text_.push_back(text_.empty() ? '{' : ','); }

Array& Array::add(std::string_view element) {
  separate();
  text_.push_back('"');
  for (const char c : element) {
    if (c == '"' || c == '\\') text_.push_back('\\');
    text_.push_back(c);
  }
  text_.push_back('"');
  return *this;
}

Array& Array::add(std::int64_t element) {
  separate();
  text_.append(std::to_string(element));
  return *this;
}

Array& Array::add_null() {
  separate();
  text_.append("NULL");
  return *this;
}

}  // namespace reconciled::sql
