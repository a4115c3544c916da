#!/bin/sh
# Installs the Debian 12 packages of one or more groups:
#
#   build    what compiles torqued
#   runtime  what a finished torqued binary needs
#   test     what `make test` needs beyond `build`
#   ci       what the tests that .ci/run adds need beyond `build test`
#   demo     what `make demo` needs beyond `build`
#   wheel    what makes the Python package with a server inside, beyond `build`
#   package  what makes and checks the Debian packages, beyond `build`
#   lint     formatter and linter
#   image    what `make image` needs where neither docker nor podman works
#   fuzz     what builds and runs the fuzz targets beyond `build`
#   bench    what `make bench` needs beyond `build`
#   proxies  what e2e.proxies and e2e.metrics run; as services they stay masked
#
# Usage: deploy/debian/install-packages.sh GROUP...
# Runs as root, or through sudo elsewhere. Does nothing, and needs no network,
# when everything is there already. Waits for another apt-get for up to
# APT_LOCK_SECONDS, 300 where that is not set.
set -eu

groups="build, runtime, test, ci, demo, wheel, package, image, fuzz, lint, bench, proxies"

packages_of() {
  case "$1" in
    build)
      # Older mirrors of Debian 12 lack clang-19: g++ stands in, see below.
      echo ca-certificates ccache clang-19 cmake git libcivetweb-dev libcli11-dev libeigen3-dev \
        libgrpc++-dev libjs-dygraphs libprotobuf-dev libspdlog-dev libsqlite3-dev libssl-dev \
        libtinyxml2-dev libtomlplusplus-dev libyaml-cpp-dev libzip-dev \
        make ninja-build nlohmann-json3-dev pkg-config prometheus-cpp-dev protobuf-compiler \
        protobuf-compiler-grpc python3-protobuf
      ;;
    runtime)
      echo libcivetweb1 libfmt9 libgrpc++1.51 libprometheus-cpp-core1.0 \
        libprotobuf32 libspdlog1.10 libsqlite3-0 \
        libssl3 libtinyxml2-9 libyaml-cpp0.7 libzip4
      ;;
    test)
      echo libgmock-dev libgtest-dev liborocos-kdl-dev libmujoco-dev \
        liburdfdom-dev procps python3 python3-grpcio python3-numpy \
        python3-pytest python3-yaml
      # A third-party nodejs conflicts with Debian's npm: only where missing.
      command -v node >/dev/null 2>&1 || echo nodejs
      command -v npm >/dev/null 2>&1 || echo npm
      ;;
    ci)
      echo g++ man-db mypy patchelf python3-pip python3-setuptools python3-venv \
        python3-wheel valgrind
      # What docs/conventions.md is compared with.
      echo python3-geometry-msgs python3-pykdl python3-sensor-msgs \
        python3-trajectory-msgs
      # examples/java and examples/go.
      echo default-jdk-headless libgeronimo-annotation-1.3-spec-java \
        libgoogle-gson-java libgrpc-java libguava-java libnetty-java \
        libperfmark-java libprotobuf-java protobuf-compiler-grpc-java-plugin
      echo golang-github-golang-protobuf-1-5-dev golang-go \
        golang-google-grpc-dev protoc-gen-go protoc-gen-go-grpc
      command -v kubectl >/dev/null 2>&1 || echo kubernetes-client
      ;;
    demo)
      echo python3
      ;;
    wheel)
      echo patchelf python3-pip python3-setuptools python3-wheel
      ;;
    package)
      echo debootstrap dpkg-dev file lintian procps systemd-container
      ;;
    lint)
      echo clang-format-19 clang-tidy-19 git
      ;;
    image)
      echo buildah debootstrap iproute2
      ;;
    fuzz)
      # llvm-19 names the functions in the stack traces of findings.
      echo clang-19 libclang-rt-19-dev lld-19 llvm-19
      ;;
    bench)
      echo libbenchmark-dev liborocos-kdl-dev libmujoco-dev liburdfdom-dev \
        python3
      ;;
    proxies)
      echo haproxy nginx prometheus
      ;;
    *)
      echo "install-packages.sh: no group '$1' ($groups)" >&2
      exit 64
      ;;
  esac
}

[ $# -gt 0 ] || { echo "usage: $0 GROUP... ($groups)" >&2; exit 64; }
wanted=
for group in "$@"; do
  wanted="$wanted $(packages_of "$group")"
done

missing=
for package in $wanted; do
  dpkg-query -W -f '${Status}' "$package" 2>/dev/null |
    grep -q '^install ok installed$' || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

as_root=
if [ "$(id -u)" != 0 ]; then
  command -v sudo >/dev/null 2>&1 || {
    echo "Missing packages; install them as root:$missing" >&2
    exit 1
  }
  as_root="sudo"
fi
echo "Installing:$missing"

# apt-get, which waits for the locks that another one holds. Its own
# DPkg::Lock::Timeout is for the lock of dpkg alone, not for those of the package
# lists and the archives.
end=$(($(date +%s) + ${APT_LOCK_SECONDS:-300}))
errors=$(mktemp)
trap 'rm -f "$errors"' EXIT
apt_get() {
  while :; do
    code=0
    $as_root env LC_ALL=C DEBIAN_FRONTEND=noninteractive \
      apt-get "$@" 2>"$errors" || code=$?
    if [ $code = 0 ] || [ "$(date +%s)" -ge "$end" ] ||
        ! grep -q 'Could not get lock' "$errors"; then
      cat "$errors" >&2
      return $code
    fi
    echo "Waiting: $(grep -m 1 'Could not get lock' "$errors")" >&2
    sleep 1
  done
}
apt_get update -qq
case "$missing " in *" clang-19 "*)
  apt-cache show clang-19 >/dev/null 2>&1 ||
    missing=$(echo "$missing " | sed 's/ clang-19 / g++ /') ;;
esac
for service in haproxy nginx prometheus; do
  case "$missing " in *" $service "*)
    ! command -v systemctl >/dev/null 2>&1 ||
      $as_root systemctl mask --quiet "$service" ;;
  esac
done
# shellcheck disable=SC2086  # the lists are words
apt_get install -y -qq --no-install-recommends $missing
