#!/bin/sh
# Runs a command with ENGINE set to what builds images here: docker, podman or
# buildah, the first that works, unless ENGINE says which. buildah is the one
# that always works for root, or with sudo: it is installed where it is missing.
#
# Usage: deploy/image/with-engine.sh COMMAND [ARGUMENT...]
set -eu

[ $# -gt 0 ] || { echo "usage: $0 COMMAND [ARGUMENT...]" >&2; exit 64; }

# A client without its daemon is there, but does not work.
works() {
  case $1 in
    docker) docker version ;;
    podman) podman info ;;
    buildah) [ "$(id -u)" = 0 ] || command -v sudo ;;
    *) false ;;
  esac >/dev/null 2>&1
}

candidates=${ENGINE:-docker podman buildah}
chosen=
for engine in $candidates; do
  ! works "$engine" || { chosen=$engine; break; }
done
[ -n "$chosen" ] || {
  echo "No engine for images works here (tried: $candidates); buildah would," \
    "as root or with sudo" >&2
  exit 1
}
export ENGINE="$chosen"
[ "$ENGINE" = buildah ] || exec "$@"

here=$(cd "$(dirname "$0")" && pwd)
"$here/../../.ci/install-dependencies" image
as_root=
[ "$(id -u)" = 0 ] || as_root=sudo

# Within a container, layers often cannot be laid over each other.
default_storage_works() {
  container=$($as_root buildah from scratch) || return 1
  mounted=true
  $as_root buildah mount "$container" || mounted=false
  $as_root buildah rm "$container" || true
  $mounted
}

storage=${CONTAINERS_STORAGE_CONF:-}
[ -n "$storage" ] || default_storage_works >/dev/null 2>&1 ||
  storage=$here/vfs-storage.conf
# To change the root needs no container runtime.
exec $as_root env ENGINE=buildah BUILDAH_FORMAT=docker \
  BUILDAH_ISOLATION=chroot \
  ${storage:+CONTAINERS_STORAGE_CONF="$storage"} "$@"
