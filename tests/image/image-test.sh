#!/bin/sh
# Builds the image with buildah, on a base that is made here instead of one from a
# registry, and runs it with systemd-nspawn as docs/operations.md says. As root.
# shellcheck disable=SC2086  # $engine and $environment are words
set -eu
[ "$(id -u)" = 0 ] || exec sudo "$0" "$@"
cd "$(dirname "$0")/../.."
. tests/support/nspawn.sh
log() { cat "$work/console"; }
megabytes=120
engine="buildah --root $work/storage --runroot $work/run"
# To change the root needs no container runtime; the other format has no health check.
export BUILDAH_ISOLATION=chroot BUILDAH_FORMAT=docker

step "A base such as debian:12-slim"
# shellcheck disable=SC2046  # words
quietly mmdebstrap --variant=minbase --include=usr-is-merged \
  --hook-dir=/usr/share/mmdebstrap/hooks/merged-usr \
  $(printf -- '--dpkgopt=path-exclude=/usr/share/%s/?* ' doc groff info lintian locale man) \
  --dpkgopt='path-include=/usr/share/doc/*/copyright' bookworm "$work/base.tar"
base=$($engine from scratch)
quietly $engine add "$base" "$work/base.tar" /
$engine config --cmd bash --env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
  "$base"
quietly $engine commit --rm "$base" docker.io/library/debian:12-slim

step "The image"
quietly make image ENGINE="$engine" IMAGE=torqued
of_image() { $engine inspect --type image --format "$1" torqued; }
for label in title description version licenses revision created; do
  [ -n "$(of_image "{{index .Docker.Config.Labels \"org.opencontainers.image.$label\"}}")" ] ||
    fail "label $label is empty"
done
equal "the user" 7421:7421 "$(of_image '{{.Docker.Config.User}}')"
equal "the health check" "CMD torqued --health-check " \
  "$(of_image '{{range .Docker.Config.Healthcheck.Test}}{{.}} {{end}}')"
environment=$(of_image '{{range .Docker.Config.Env}}{{.}} {{end}}')
built=$($engine from torqued)
mkdir "$root" "$work/volume"
tar -C "$($engine mount "$built")" --numeric-owner -cf "$work/image.tar" .
$engine rm "$built" >/dev/null
tar -C "$root" --numeric-owner -xpf "$work/image.tar"
chown --reference="$root/var/lib/torqued" "$work/volume"
size=$(stat --format %s "$work/image.tar")
[ "$size" -le ${megabytes}000000 ] || fail "it has $size bytes"
equal "compilers, headers and packages in it" "" "$(tar -tf "$work/image.tar" | grep -E \
  '/(c\+\+|g?cc|g\+\+|clang|ld|as|cmake|make|ninja)(-[0-9.]+)?$|/libprotoc\.so|\.(h|hpp|deb)$|/apt/lists/.')"
grep -q __stack_chk_fail "$root/usr/local/bin/torqued" ||
  fail "it is compiled without a stack protector"

# as_user COMMAND...: as the image's user, in its environment.
as_user() { within --setuid=7421 --setgid=7421 -- env -i $environment "$@"; }

# serve PORT OPTION...: as docs/operations.md starts it.
serve() {
  port=$1
  shift
  # shellcheck disable=SC2046  # words
  start torqued --read-only --private-network --no-new-privileges=yes --user=7421 \
    --bind="$work/volume:/var/lib/torqued" --bind-ro="$PWD/examples/robots:/mnt" \
    $(printf -- '--setenv=%s ' $environment) "$@" torqued
  # Others reach a container by such an address.
  nsenter --target "$leader" --net ip address add 192.0.2.1/32 dev lo
  until_true "the container is not healthy" as_user torqued --health-check
}
torquectl() { as_user torquectl --server "192.0.2.1:$port" "$@"; }

# Of a moving arm, by Orocos KDL 1.5.1 from the same file.
check_torques() {
  equal "the torques" \
    "1.19965 -7.16491 -2.87978 20.7817 0.815827 1.81252 -0.0307276" \
    "$(torquectl id --model panda --q 0.1,-0.7,0.2,-2.3,0.3,1.6,0.8 \
      --v 0.5,-0.4,0.3,0.2,-0.1,0.6,0.7 --a 1,-1,0.5,2,0.1,-0.3,0.4 |
      awk '$1 == "0" { $1 = ""; print substr($0, 2) }')"
}

step "A container"
serve 7421 --setenv=TORQUED_INSECURE=on
equal "the first process" torqued "$(as_user cat /proc/1/cmdline | tr '\0' ' ' | xargs)"
equal "user, group and capabilities" \
  "CapEff:0000000000000000 Gid:7421742174217421 Uid:7421742174217421" "$(
  as_user grep -E '^(Uid|Gid|CapEff):' /proc/1/status | tr -d '\t' | sort | xargs)"
for path in /probe /usr/local/bin/probe /var/lib/probe; do
  within touch $path 2>&1 | grep -q "Read-only file system" || fail "root can write $path"
done
equal "the version" "torqued $(of_image \
  '{{index .Docker.Config.Labels "org.opencontainers.image.version"}}')" \
  "$(as_user torqued --version)"
torquectl models add /mnt/panda.urdf --name panda >/dev/null
check_torques
models=$(torquectl models list)
shut_down "$leader" || fail "SIGTERM ends it with $?"

step "Another one with the same volume, on the port of a mounted file"
printf 'listen = ["0.0.0.0:7422"]\ninsecure = "on"\n' >"$work/torqued.toml"
serve 7422 --bind-ro="$work/torqued.toml:/etc/torqued/torqued.toml"
check_torques
equal "the models" "$models" "$(torquectl models list)"
shut_down "$leader" || fail "SIGTERM ends it with $?"

echo "Image: $steps steps passed, $((size / 1000000)) MB," \
  "$(($(gzip -c "$work/image.tar" | wc -c) / 1000000)) MB compressed"
