// SPDX-License-Identifier: Apache-2.0
// What is wrong with a text value, as a half sentence that does not repeat the value; empty if
// nothing is.
#pragma once

#include <string>
#include <string_view>

namespace reconciled::checks {

std::string instance(std::string_view text);
std::string database_uri(std::string_view text);
/// An absolute path, or the name of a systemd credential.
std::string credential_name(std::string_view text);
std::string path(std::string_view text);
std::string schema(std::string_view text);
std::string base_url(std::string_view text);
std::string function_name(std::string_view text);
std::string listen_address(std::string_view text);

}  // namespace reconciled::checks
