// SPDX-License-Identifier: Apache-2.0
// The journal's native form of an event, and whether this process writes to it.
#pragma once

#include <sys/types.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/event_table.hpp"
#include "daemon/field.hpp"
#include "daemon/settings.hpp"

namespace reconciled {

/// Whether $JOURNAL_STREAM, "DEVICE:INODE" or empty, names this file: systemd.exec(5).
bool names_stream(std::string_view journal_stream, dev_t device, ino_t inode);
/// Whether standard error leads to the journal.
bool stderr_is_journal();

/// MESSAGE, PRIORITY, MESSAGE_ID, SYSLOG_IDENTIFIER, RECONCILED_EVENT, and the event's own fields
/// with the prefix RECONCILED_; those with an empty text are left out.
std::vector<std::string> journal_fields(LogLevel level, const EventKind& event,
                                        std::string_view message, std::span<const Field> fields);

}  // namespace reconciled
