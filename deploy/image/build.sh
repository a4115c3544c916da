#!/bin/sh
# Builds the image with $ENGINE (see with-engine.sh) from debian:12-slim or,
# where no registry serves that, from a base made here.
#
# Usage: deploy/image/build.sh NAME
set -eu

[ $# = 1 ] || { echo "usage: $0 NAME" >&2; exit 64; }
image=$1
cd "$(dirname "$0")/../.."

# id_of IMAGE: nothing if it is not here.
id_of() {
  case $ENGINE in
    buildah) buildah inspect --type image --format '{{.FromImageID}}' "$1" ;;
    *) "$ENGINE" image inspect --format '{{.Id}}' "$1" ;;
  esac 2>/dev/null || true
}

pull() {
  # A registry behind a wall that drops packets is no registry.
  timeout 120 "$ENGINE" pull "$1" >/dev/null 2>&1
}

# import_base ARCHIVE NAME
import_base() {
  path=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
  if [ "$ENGINE" != buildah ]; then
    "$ENGINE" import --change "ENV PATH=$path" --change 'CMD ["bash"]' \
      "$1" "$2" >/dev/null
    return
  fi
  container=$(buildah from scratch)
  buildah add --quiet "$container" "$1" / >/dev/null
  buildah config --env PATH="$path" --cmd bash "$container"
  buildah commit --quiet --rm "$container" "$2" >/dev/null
}

# The base that is made here is renewed with the archive below build/.
make_base() {
  [ ! -f build/debian-root.tar ] || [ -z "$(id_of "$1")" ] || return 0
  echo "No registry is reachable: making a base"
  .ci/install-dependencies image
  as_root=
  [ "$(id -u)" = 0 ] || as_root=sudo
  mkdir -p build
  $as_root deploy/image/make-base.sh build/image-base.tar
  import_base build/image-base.tar "$1"
  rm -f build/image-base.tar
}

# build TAG [OPTION...]
build() {
  tag=$1
  shift
  set -- --tag "$tag" --build-arg BASE="$base" "$@" .
  case $ENGINE in
    docker) DOCKER_BUILDKIT=1 docker build "$@" ;;
    podman) podman build --format docker --layers "$@" ;;
    buildah) buildah build --layers "$@" ;;
  esac
}

# replace TAG [OPTION...]: builds and drops the layers of the image that had the
# tag, so far as nothing else is made of them.
replace() {
  old=$(id_of "$1")
  build "$@"
  [ -n "$old" ] && [ "$(id_of "$1")" != "$old" ] || return 0
  case $ENGINE in
    buildah) buildah rmi "$old" ;;
    *) "$ENGINE" image rm "$old" ;;
  esac >/dev/null 2>&1 || true
}

base=debian:12-slim
if [ -z "$(id_of $base)" ] && ! pull $base; then
  base=torqued-base
  make_base $base
fi

# docker has a cache of its own; elsewhere what a build leaves for the next is
# an image like any other, and this one holds the compiler's.
[ "$ENGINE" = docker ] || replace "$image-build" --target build
replace "$image"

echo "Built $image with $ENGINE from $base"
