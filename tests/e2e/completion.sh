#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The completion for bash offers what --help names, and values where there is a closed set.
# shellcheck source=tests/lib/scripted.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/scripted.sh"
# shellcheck source=packaging/completions/reconciled
. "$source_dir/packaging/completions/reconciled"

offered() { # WORD...: the last one is being completed; one a line
  COMP_WORDS=(reconciled "$@")
  COMP_CWORD=$#
  _reconciled "$build_dir/reconciled" "${COMP_WORDS[COMP_CWORD]}"
  printf '%s\n' "${COMPREPLY[@]}"
}

"$build_dir/reconciled" --help >"$work/help"
same 'every option is offered, and no other' \
  "$(grep -oE -- '--[a-z][a-z-]*' "$work/help" | sort -u)" "$(offered --)"
same 'after a verb as well' "$(offered --)" "$(offered resubmit --)"
same 'a verb is offered' resubmit "$(offered resub)"
same 'and every other one' $'check\nlist\nrecheck\nresolve\nresubmit\nshow' \
  "$(offered '' | grep -v '^-')"
same 'only as the first word' '' "$(offered --once resub)"
same 'one option is completed' --once "$(offered --onc)"
same 'the forms of output' $'json\ntable' "$(offered --dry-run --output '')"
same 'also behind an equals sign' json "$(offered --dry-run --output = j)"
same 'the other form of a printed configuration' defaults "$(offered --print-config =)"
cd "$work" || exit
same 'files where a file is wanted' help "$(offered --config he)"
same 'it is what bash calls' 'complete -F _reconciled reconciled' "$(complete -p reconciled)"
