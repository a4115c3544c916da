#!/bin/sh
# Becomes the first process of a container where there is no container runtime:
# a user without rights in a changed root, of which only /tmp and the volume can
# be written, with a network of its own and the caller's environment. Runs as
# root in new namespaces: unshare --mount --net --pid --fork.
#
# Usage: deploy/image/chroot-container.sh ROOT USER:GROUP VOLUME VOLUME_PATH
#          MODELS CONFIG ADDRESS COMMAND [ARGUMENT...]
# VOLUME appears at VOLUME_PATH, MODELS for reading at /mnt, CONFIG, unless it is
# empty, in the place of the settings; ADDRESS becomes one of the container's in
# addition to 127.0.0.1.
set -eu

root=$1
user=$2
volume=$3
volume_path=$4
models=$5
config=$6
address=$7
shift 7

mount --make-rprivate /
mount --bind "$root" "$root"
mount -o remount,bind,ro "$root"
mount -t proc proc "$root/proc"
mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
mount -t tmpfs -o mode=755 tmpfs "$root/dev"
for device in full null random urandom zero; do
  : >"$root/dev/$device"
  mount --bind "/dev/$device" "$root/dev/$device"
done
mount --bind "$volume" "$root$volume_path"
mount --bind "$models" "$root/mnt"
mount -o remount,bind,ro "$root/mnt"
[ -z "$config" ] || mount --bind "$config" "$root/etc/torqued/torqued.toml"

ip link set lo up
ip address add "$address/32" dev lo

exec setpriv --no-new-privs \
  chroot --userspec="$user" --groups= "$root" "$@"
