// SPDX-License-Identifier: Apache-2.0
// How a dry run shows what a sweep would do. Pure.
#pragma once

#include <string>

#include "daemon/settings.hpp"
#include "retention/preview.hpp"

namespace reconciled {

/// A few lines for a person: cut-off, mark, what would refuse, and the counts by day.
std::string cleanup_text(const CleanupPreview& preview, const RetentionSettings& retention);

/// The same as JSON objects, one a line, each with the key "cleanup": "sweep" (cut_off, mark,
/// permitted), "refusal" (why), "table" (table, enabled, visible) and "day" (table, day, rows,
/// answers_lost). Times are RFC 3339 in UTC.
std::string cleanup_json(const CleanupPreview& preview, const RetentionSettings& retention);

}  // namespace reconciled
