# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# For tests/boot: the packages, and looks at the daemon, its database and its provider inside the
# machine. Source it after scripted.sh, debian_tree.sh and machine.sh.

readonly provider_port=8480

# --- the tree and the packages -------------------------------------------------------------------

base=      # the tree that is booted
package=   # the package, as the machine sees it
previous=  # the same with a lower version
settled=   # the operation that `settles` has seen settled last
built=     # the folder of programs for this release

make_base() { # false, with the reason, if the tree cannot be had
  if [[ $suite == trixie && $suite != $(. /etc/os-release && echo "$VERSION_CODENAME") ]]; then
    base=$source_dir/build/trixie
    if [[ ! -x $base/src/build/release/reconciled ]]; then
      echo 'tests/trixie has not built anything yet' && return 1
    fi
  else
    base=$source_dir/build/boot/$suite
    make_tree "$suite" "$base"
  fi
}

dependencies() { # PACKAGE FILE: of alternatives the first
  dpkg-deb -f "$1" Depends | tr ',' '\n' | sed 's/[ |(].*//; s/^ *//' | sed 's/^ //' | grep .
}

# Builds the package, puts into the base what it needs, and makes an older version of it.
make_packages() {
  local out=$source_dir/build/boot/packages needed
  base=$source_dir/build/boot/$suite built=$build_dir
  mkdir -p "$out"
  rm -f "$out"/*
  if [[ $suite == trixie && -x $source_dir/build/trixie/src/build/release/reconciled ]]; then
    base=$source_dir/build/trixie built=$base/src/build/release
    in_tree "$base" sh -c 'command -v dh || { apt-get -q update && apt-get -q -y install --no-install-recommends debhelper; }
      /src/packaging/build-deb --binary /src/build/release/reconciled --output /src/build/deb' >&2 || return
    cp "$base"/src/build/deb/*.deb "$out"
  else
    "$source_dir/packaging/build-deb" --binary "$built/reconciled" --output "$out" >&2 || return
  fi
  package=$(cd "$out" && echo reconciled_*.deb)
  mapfile -t needed < <(dpkg-deb -f "$out/$package" Depends | tr ',' '\n' | sed 's/^ *//; s/[ |].*//')
  needed+=(curl dbus iproute2 libnss-systemd man-db postgresql procps systemd-sysv)
  in_tree "$base" sh -c 'for p; do [ "$(dpkg-query -W -f="\${db:Status-Status}" "$p" 2>/dev/null)" = installed ] || exit 1; done' \
    - "${needed[@]}" ||
    in_tree "$base" sh -c 'apt-get -q update && apt-get -q -y -o Acquire::Retries=3 install --no-install-recommends "$@"' \
      - "${needed[@]}" >&2 || return
  dpkg-deb -R "$out/$package" "$work/older"
  sed -i 's/^Version: .*/Version: 0.0.1/' "$work/older/DEBIAN/control"
  dpkg-deb -Znone --root-owner-group -b "$work/older" "$out/previous.deb" >/dev/null
  previous=previous.deb
}

install_package() { # FILE [apt-get options]
  local file=$1
  shift
  put "/run/packages/$file" <"$source_dir/build/boot/packages/$file"
  inside apt-get -q -y "$@" install "/run/packages/$file"
}

mode_of() { inside stat -c '%U:%G %a' "/etc/reconciled/$1"; }

# --- PostgreSQL ----------------------------------------------------------------------------------

sql() { # DATABASE, psql arguments
  inside runuser -u postgres -- env PGOPTIONS="${PGOPTIONS:-}" psql --no-psqlrc -qAt -v ON_ERROR_STOP=1 -d "$@"
}

# With the files of the package, by an administrator; the daemon comes in by peer authentication.
install_contract() { # DATABASE
  until_true sql postgres -c 'SELECT 1'
  sql postgres -c "CREATE DATABASE $1"
  sql "$1" -f /usr/share/reconciled/sql/install.sql
  sql postgres -c 'CREATE ROLE reconciled LOGIN' 2>/dev/null
  PGOPTIONS='-c client_min_messages=warning' sql postgres -c 'GRANT reconciled_recovery, reconciled_retention, reconciled_operator TO reconciled'
}

hold_timings() { # DATABASE: the daemon's start waits, until let_timings_go
  coproc holder { sql "$1"; }
  printf 'BEGIN; LOCK TABLE reconciled.contract_timings IN ACCESS EXCLUSIVE MODE;\n\\echo held\n' >&"${holder[1]}"
  until read -r word <&"${holder[0]}" && [[ $word == held ]]; do :; done
}
let_timings_go() {
  local ending=$holder_PID
  printf 'ROLLBACK;\n\\q\n' >&"${holder[1]}"
  wait "$ending"
}
inside_lock() { # DATABASE: somebody waits
  [[ $(sql "$1" -c "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'") -ge 1 ]]
}

admit() { # DATABASE: an operation, not due for an hour; prints its id
  sql "$1" -c "INSERT INTO reconciled.operations (operation_id, issuer, grant_id, caller_id, account_id,
      amount, currency, status, lease_until, submit_by, created_at)
    SELECT gen_random_uuid(), 'issuer', gen_random_uuid(), 'caller', 'A-1', 250.00, 'USD', 'Admitted',
      now() + interval '1 hour', now() + interval '20 hours', now() - interval '2 minutes'
    RETURNING operation_id"
}
due() { # DATABASE ID
  sql "$1" -c "UPDATE reconciled.operations SET lease_until = now() WHERE operation_id = '$2'"
}
status_of() { # DATABASE ID
  sql "$1" -c "SELECT status FROM reconciled.operations WHERE operation_id = '$2'"
}
has_status() { [[ $(status_of "$1" "$2") == "$3" ]]; } # DATABASE ID STATUS

settles() { # NAME DATABASE: an operation with a good credit
  settled=$(admit "$2")
  credit "$settled"
  due "$2" "$settled"
  succeeds "$1" until_true has_status "$2" "$settled" Succeeded
}

database_checksum() { # DATABASE: of all operations and evidence
  sql "$1" -c "SELECT md5(string_agg(o::text, '' ORDER BY operation_id)) FROM reconciled.operations AS o" \
    -c "SELECT md5(string_agg(e::text, '' ORDER BY evidence_id)) FROM reconciled.recovery_evidence AS e" \
    -c 'SELECT count(*) FROM pg_class' -c "SELECT rolname FROM pg_roles WHERE rolname ~ 'reconciled'"
}

# --- the provider --------------------------------------------------------------------------------

start_provider() {
  strip -o "$work/test_provider" "$built/tests/test_provider"
  put /usr/local/bin/test_provider 755 <"$work/test_provider"
  inside systemd-run -q --unit=provider /usr/local/bin/test_provider --port "$provider_port"
  until_true ledger
}
ask_provider() { # PATH [curl options], in the machine's network
  nsenter -t "$machine_pid" -n curl --silent --show-error --fail --max-time 60 \
    "http://127.0.0.1:$provider_port$1" "${@:2}"
}
ledger() { ask_provider /_ledger; }
credit() { # ID [FURTHER MEMBERS]: the provider holds it
  ask_provider /_control --data-binary @- >/dev/null <<END
{"key":"$1","credits":[{"id":"cr_${1:0:8}","key":"$1","amount":"250.00","currency":"USD","account":"A-1","state":"posted"}]${2:+, $2}}
END
}
last_token() { ledger | tail -n1 | grep -o 'Bearer [a-z-]*' | cut -d' ' -f2; }
asked_for() { ledger | grep -q "$1"; } # ID

# --- the daemon ----------------------------------------------------------------------------------

configure() { # FILE DATABASE [LOG FORMAT]
  put "/etc/reconciled/scripted.yaml" <"$source_dir/tests/support/profile.yaml"
  put "/etc/reconciled/$1.yaml" 640 <<END
database: {uri: "postgresql:///$2"}
provider:
  profile: scripted.yaml
  base_url: http://127.0.0.1:$provider_port
  credential_file: provider-credential
recovery: {poll_interval: 1s}
log: {format: ${3:-json}, level: info}
END
  inside chgrp reconciled "/etc/reconciled/$1.yaml"
}
set_key() { # log.KEY VALUE
  inside sed -i "s/^log: .*/log: {format: json, ${1#log.}: $2}/" /etc/reconciled/reconciled.yaml
}

ended() { # how it ended, and how often it was started again
  echo "$(fact ActiveState) $(fact Result) $(fact ExecMainStatus) $(fact NRestarts)"
}
said() { journal reconciled.service -o cat | grep -qE "$1"; }         # PATTERN: the daemon or systemd
mentions() { if said "$1"; then echo yes; else echo no; fi; }         # PATTERN
mentions_status() { [[ $(fact StatusText) =~ $1 ]]; }                 # PATTERN
told() { journal "$1" -o cat | grep -q "\"event\":\"$2\""; }          # UNIT EVENT
found_by_field() { [[ -n $(inside journalctl -q "RECONCILED_OPERATION_ID=$1") ]]; } # ID

hurt() { # SIGNAL; false if the daemon does not run: signal 0 would go to the test itself
  local pid
  pid=$(fact MainPID)
  ((pid > 1)) && inside kill "-$1" "$pid"
}

sandbox_of() { # PID: user, capabilities, no_new_privs, seccomp
  echo "$(inside ps -o user= -p "$1") $(inside sed -n \
    -e 's/^CapBnd:\t//p' -e 's/^NoNewPrivs:\t//p' -e 's/^Seccomp:\t//p' "/proc/$1/status" | paste -sd' ')"
}

listeners_of() { # UNIT: the listening sockets of its processes
  local pid
  for pid in $(inside cat "/sys/fs/cgroup/$(fact ControlGroup "$1")/cgroup.procs"); do
    inside ss -Hltnp | grep "pid=$pid,"
  done
}

# Tries, under the unit's own settings, what the daemon never does: lines in $work/probe.
probe_sandbox() {
  put /usr/local/bin/probe 755 <<'END'
#!/usr/bin/perl
use strict;
use Socket;
use Fcntl;
sub try { my ($what, $worked) = @_; print "$what: ", ($worked ? 'possible' : $!), "\n"; }
try('write /etc', open(my $a, '>', '/etc/probe'));
try('write /var/lib', open(my $b, '>', '/var/lib/probe'));
try('list /home', opendir(my $c, '/home'));
try('unshare', syscall(272, 0x20000) == 0);    # CLONE_NEWNS; x86_64
try('netlink', socket(my $d, 16, 3, 0));
open(my $e, '>', '/tmp/probe') or die;
try('setuid', chmod(04755, '/tmp/probe'));
open(my $f, '<', "$ENV{CREDENTIALS_DIRECTORY}/provider-credential") or die;
print 'credential: ', scalar <$f>;
print 'kernel: ', (-e '/proc/sys/kernel' ? 'yes' : 'no'), "\n";
print 'others: ', (-e '/proc/1/status' ? 'yes' : 'no'), "\n";
END
  inside sh -c 'sed -e "s/^Type=.*/Type=oneshot/" -e "s|^ExecStart=.*|ExecStart=/usr/local/bin/probe|" \
    -e "/^ExecReload=/d" -e "/^WatchdogSec=/d" -e "/^Restart/d" \
    "$(systemctl show --value -p FragmentPath reconciled.service)" >/run/systemd/system/probe.service
    systemctl daemon-reload && systemctl start probe.service'
  journal probe.service -o cat >"$work/probe"
}
