#!/bin/sh
# Makes a minimal Debian 12 root file system in a new directory, for images and
# tests of the package where no image registry is at hand. As root.
#
# Usage: deploy/debian/make-root.sh DIRECTORY
# The first run takes about a minute and keeps an archive in
# build/debian-root.tar, from which later runs are made without a network.
set -eu

[ $# = 1 ] || { echo "usage: $0 DIRECTORY" >&2; exit 64; }
root=$1
archive=build/debian-root.tar
cd_to_source=$(dirname "$0")/../..

[ ! -e "$root" ] || { echo "$0: $root is there already" >&2; exit 1; }
mkdir -p "$root"
root=$(cd "$root" && pwd)
cd "$cd_to_source"

if [ ! -f "$archive" ]; then
  # The mirror that this machine uses, if it is a Debian 12 itself.
  mirror=$(apt-get indextargets --format '$(REPO_URI)' \
    'Created-By: Packages' 'Codename: bookworm' 'Component: main' | head -n 1)
  # Not /tmp, which may forbid devices.
  made=$(mktemp -d /var/tmp/torqued-root.XXXXXX)
  # What may still be mounted in it stays out of this.
  trap 'rm -rf --one-file-system "$made" "$made.log"' EXIT
  trap 'exit 130' INT TERM
  # shellcheck disable=SC2086  # without a mirror: debootstrap's default
  debootstrap --variant=minbase bookworm "$made" $mirror >"$made.log" 2>&1 || {
    cat "$made.log" >&2
    exit 1
  }
  rm -rf "$made"/var/cache/apt/archives/*.deb "$made"/var/lib/apt/lists/*
  mkdir -p build
  tar -C "$made" --numeric-owner -cf "$archive.new" .
  mv "$archive.new" "$archive"
fi
tar -C "$root" --numeric-owner -xpf "$archive"
# The archive's own entry for it is closed to all but root.
chmod 755 "$root"
