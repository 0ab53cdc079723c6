#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The unit files, without a running systemd: systemd understands every line of
# them and of the drop-in examples, the sandbox is as tight as it is said to be, and both units agree.
# shellcheck source=tests/lib/scripted.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/scripted.sh"

units=$source_dir/packaging/systemd
exposure_most=11 # of 100: 1.1, which is what a network client without an address list can reach

if ! command -v systemd-analyze >/dev/null; then
  skip 'unit files' 'systemd-analyze is not installed'
  exit
fi

# systemd-analyze looks the program up, so a copy names the one that was built; the manual is checked
# in the booted system, where it is installed. Unknown keys and values are told on stderr only, with
# exit status 0: silence is what counts.
place() { # FOLDER: copies of the units, to verify
  mkdir -p "$1"
  for unit in "$units"/*.service; do
    sed "s|/usr/sbin/reconciled|$build_dir/reconciled|" "$unit" >"$1/${unit##*/}"
  done
}
verify() { systemd-analyze verify --man=no "$@" 2>&1 && echo "status 0"; }

place "$work/plain"
same 'reconciled.service is understood' 'status 0' "$(verify "$work/plain/reconciled.service")"
same 'reconciled@.service is understood' 'status 0' "$(verify "$work/plain/reconciled@eu.service")"

place "$work/broken"
sed -i 's/^ProtectHome=.*/ProtectHouse=yes/' "$work/broken/reconciled.service"
matches 'a key that systemd does not know is told' 'ProtectHouse' \
  "$(verify "$work/broken/reconciled.service")"

for example in "$units"/examples/*.conf; do
  name=$(basename "$example" .conf)
  if [[ $name == newer-systemd ]] && (($(systemctl --version | awk 'NR == 1 { print $2 }') < 257)); then
    continue # the boot on Debian 13 reads it
  fi
  place "$work/$name"
  mkdir "$work/$name/reconciled.service.d"
  sed 's/^#\(IPAddress\|LoadCredential\)/\1/' "$example" >"$work/$name/reconciled.service.d/$name.conf"
  same "examples/$name.conf is understood" 'status 0' "$(verify "$work/$name/reconciled.service")"
done

for unit in reconciled.service reconciled@.service; do
  exposed=$(systemd-analyze security --offline=true --no-pager --threshold="$exposure_most" \
    "$units/$unit" 2>&1)
  status=$?
  same "the exposure of $unit is at most $exposure_most of 100" 0 "$status"
  ((status == 0)) || grep '^✗' <<<"$exposed"
done

value() { # KEY, lines that go on put together
  sed -e ':more' -e '/\\$/ { N; s/\\\n *//; b more }' "$units/reconciled.service" | sed -n "s/^$1=//p"
}
seconds() { local text=${1%s} && printf '%s\n' "$text"; }   # 30s
default() { # KEY of the configuration, in seconds
  sed -n "s/^  ${1#*.}: \([0-9]*\)s$/\1/p" "$source_dir/etc/reconciled.yaml" | head -n1
}
turn=$(($(default database.connect_timeout) + 3 * $(default database.statement_timeout) + 2))
(($(seconds "$(value WatchdogSec)") > turn))
same 'the watchdog allows the longest turn of the pass with the defaults' 0 "$?"
drain=$(($(default recovery.drain_timeout) + 2 * $(default database.statement_timeout)))
(($(seconds "$(value TimeoutStopSec)") > drain))
same 'stopping has the time of a drain with the defaults' 0 "$?"
matches 'a reload is judged before the daemon is told' \
  '^\+/usr/bin/nsenter --target \$MAINPID .*setpriv --reuid=reconciled .*/usr/sbin/reconciled --config [^ ]*reconciled.yaml --check-config.*kill -HUP \$MAINPID$' \
  "$(value ExecReload)"
same 'what starting again cannot cure is not tried again' '64 65 77 78' \
  "$(value RestartPreventExitStatus)"

same 'the template differs by names, metrics and a journal field only' '' "$(
  diff <(grep -v '^#' "$units/reconciled.service" |
    sed -e 's|reconciled/reconciled.yaml|reconciled/%i.yaml|' -e 's|/credentials/|/credentials/%i/|' \
      -e 's|^Description=.*|& (%i)|') \
    <(grep -Ev '^(#|Environment=RECONCILED_METRICS_LISTEN=$|LogExtraFields=RECONCILED_UNIT_INSTANCE=%i$)' \
      "$units/reconciled@.service"))"
