# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# A Debian of some release in a folder, made once and kept: to build in, or to boot.

readonly tree_tries_max=5 # of debootstrap, with a growing pause: mirrors refuse now and then

why_no_tree() { # prints why one cannot be made or entered here; nothing if it can
  if ((EUID != 0)); then
    echo 'it needs root'
  elif ! command -v debootstrap >/dev/null; then
    echo 'debootstrap is not installed'
  elif ! unshare --mount --pid --fork true 2>/dev/null; then
    echo 'namespaces are not permitted here'
  fi
}

mirror() { # the one that this machine's apt uses; Debian's own where apt names none
  local uri
  # shellcheck disable=SC2016 # expanded by apt-get
  uri=$(apt-get indextargets --format '$(REPO_URI)' 'Label: Debian' 2>/dev/null | head -n1)
  printf '%s\n' "${uri:-http://deb.debian.org/debian}"
}

make_tree() { # SUITE FOLDER [debootstrap options]: false, with the reason, if it cannot be fetched
  local suite=$1 tree=$2 try
  shift 2
  [[ -e $tree/complete ]] && return
  mkdir -p "${tree%/*}"
  for ((try = 1; ; try++)); do
    rm -rf --one-file-system "$tree"
    debootstrap --variant=minbase "$@" "$suite" "$tree" "$(mirror)" >"$tree.log" 2>&1 && break
    tail -n5 "$tree.log"
    if ((try == tree_tries_max)); then
      echo "debootstrap could not fetch $suite in $tree_tries_max tries"
      return 1
    fi
    sleep $((try * try * 2))
  done
  # How this machine reaches the network holds inside as well, a proxy of apt's included.
  cp -L /etc/resolv.conf /etc/hosts "$tree/etc/"
  apt-config dump | grep -E '^Acquire::https?::(Proxy|Proxy-Auto-Detect)\b' \
    >"$tree/etc/apt/apt.conf.d/90reconciled-host" || true
  printf '#!/bin/sh\nexit 101\n' >"$tree/usr/sbin/policy-rc.d" # no service starts in there
  chmod 755 "$tree/usr/sbin/policy-rc.d"
  touch "$tree/complete"
}

# In namespaces of its own: mounts and processes are gone when this ends, however it ends.
in_tree() { # FOLDER COMMAND...
  # shellcheck disable=SC2016 # expanded by the inner shell
  unshare --mount --pid --fork --kill-child bash -ec '
    tree=$1
    shift
    mount -t proc proc "$tree/proc"
    mount --rbind /dev "$tree/dev"
    mount -t tmpfs -o mode=1777 tmpfs "$tree/tmp"
    exec chroot "$tree" /usr/bin/env -i HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
      PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@"
  ' in_tree "$@"
}
