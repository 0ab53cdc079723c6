# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# A machine of its own: systemd as PID 1 in namespaces, over a Debian tree that it cannot change.
# Source it after scripted.sh. No container engine is needed, and nothing outlives the test.

control_groups() { # prints the folder of the unified hierarchy, if there is one to write to
  local folder
  for folder in /sys/fs/cgroup/unified /sys/fs/cgroup; do
    if [[ -w $folder/cgroup.procs ]]; then
      echo "$folder" && return
    fi
  done
}

boot_machine() { # TREE: sets machine_pid, the machine's PID 1 as it is numbered here
  local group
  group=$(control_groups)/reconciled-boot-$$
  mkdir "$group" "$work/machine"
  at_end "find $group -depth -type d -exec rmdir {} +"
  (
    echo "$BASHPID" >"$group/cgroup.procs" # a group for each machine: they would share their slices
    exec unshare --fork --pid --mount --uts --ipc --cgroup --net --propagation private \
      --kill-child=SIGKILL bash "$source_dir/tests/lib/boot_init" "$1" "$work/machine"
  ) >"$work/console" 2>&1 &
  machine_parent=$!
  at_end "kill -KILL $machine_parent; wait $machine_parent; sleep 0.2"
  until_true is_up
}

is_up() { # sets machine_pid
  machine_pid=$(pgrep -P "$machine_parent" -x systemd) || return
  [[ $(inside systemctl is-system-running) =~ ^(running|degraded)$ ]]
}

inside() { # COMMAND...: in the machine, as root
  nsenter -t "$machine_pid" -a env -i HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
    SYSTEMD_PAGER= PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@"
}

fact() { # PROPERTY [UNIT]: one of `systemctl show`
  inside systemctl show --value -p "$1" "${2:-reconciled.service}"
}
is() { [[ $(fact "$1" "${3:-reconciled.service}") == "$2" ]]; } # PROPERTY VALUE [UNIT]

journal() { # UNIT [journalctl options]: all of it
  inside journalctl --no-pager -q -u "$@"
}

put() { # FILE [MODE], contents on stdin
  inside sh -c 'umask 077 && mkdir -p "$(dirname "$1")" && cat >"$1" && chmod "$2" "$1"' - "$1" "${2:-644}"
}
