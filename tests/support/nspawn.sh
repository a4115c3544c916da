# shellcheck shell=sh disable=SC2034,SC2120,SC2119,SC2154
# Sourced by tests, run as root, of what systemd-nspawn runs in $root, which is within
# $work. All is gone when they end.
work=$(mktemp -d /var/tmp/torqued-test.XXXXXX)
machine=$(basename "$work" | tr '[:upper:].' '[:lower:]-')
root=$work/root
container=
leader=
failure=
steps=0

finish() {
  status=$?
  trap - EXIT INT TERM
  [ -z "$leader" ] || [ $status = 0 ] || log >&2 || true
  [ -z "$failure" ] || echo "FAILED: $failure" >&2
  [ -z "$container" ] || shut_down || true
  rm -rf --one-file-system "$work"
  exit $status
}
trap finish EXIT
trap 'exit 130' INT TERM

fail() { failure=$*; exit 1; }

# equal WHAT EXPECTED ACTUAL
equal() { [ "$2" = "$3" ] || fail "$1 is '$3', not '$2'"; }

step() {
  steps=$((steps + 1))
  echo "== $*"
}

# quietly COMMAND...: its output only if it fails.
quietly() { "$@" >"$work/log" 2>&1 || { cat "$work/log" >&2; fail "$*"; }; }

# until_true WHAT COMMAND...: within half a minute.
until_true() {
  what=$1
  shift
  tries=0
  until "$@" >/dev/null 2>&1; do
    [ $tries -lt 150 ] || fail "$what"
    tries=$((tries + 1))
    sleep 0.2
  done
}

# Becomes systemd-nspawn, with a directory of its own for what it leaves in /run.
nspawn() {
  mkdir -p /run/systemd/nspawn
  # shellcheck disable=SC2016  # for the inner shell
  exec unshare --mount sh -c '
    mount -t tmpfs tmpfs /run/systemd/nspawn
    exec systemd-nspawn "$@"' sh \
    --quiet --register=no --keep-unit --console=pipe \
    --machine="$machine" --directory="$root" "$@" </dev/null
}

# start NAME OPTION...: a container whose first process has that name.
start() {
  name=$1
  shift
  nspawn "$@" >"$work/console" 2>&1 &
  container=$!
  # By its name, because a child of another one comes and goes before it.
  until_true "the container did not start" pgrep -x -P "$container" "$name"
  leader=$(pgrep -x -P "$container" "$name")
}

# within OPTION... COMMAND...: a command in the container, with the options of nsenter.
within() {
  nsenter --target "$leader" --mount --uts --ipc --net --pid --cgroup --root --wd=/ "$@"
}

# Returns the exit code of the container.
shut_down() {
  kill "${1:-$container}" 2>/dev/null || true
  tries=0
  while kill -0 "$leader" 2>/dev/null && [ $tries -lt 400 ]; do
    tries=$((tries + 1))
    sleep 0.1
  done
  kill -KILL "$leader" 2>/dev/null || true
  leader=
  code=0
  wait "$container" || code=$?
  container=
  return $code
}
