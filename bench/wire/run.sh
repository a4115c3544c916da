#!/bin/sh
# What the service costs beside the bare transport, over TCP and over a Unix
# socket: prints a table for each. Both servers and the client are pinned to the
# CPUs given (default: 0 for all of them, where round trips are shortest and
# steadiest; "0,1" lets them spread).
#
# Usage: run.sh [BINARIES [CPUS]]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
bin=${1:-$here/../../build/release/bin}
cpus=${2:-0}
models=$here/../../deploy/models
work=$(mktemp -d)
server='' echo=''
trap 'exit 1' INT TERM HUP
trap 'kill $server $echo 2>/dev/null || true; wait; rm -rf "$work"' EXIT

# Until both have said where they listen; fails when one of them has ended.
await_addresses() {
  until [ -s "$work/address" ] && [ -s "$work/echo" ]; do
    if ! kill -0 $server 2>/dev/null || ! kill -0 $echo 2>/dev/null; then
      echo "a server ended before it served:" >&2
      cat "$work/log" >&2
      exit 1
    fi
    sleep 0.05
  done
}

# What the echo of a reply to one state takes, in bytes.
echo_bytes=230

for transport in tcp unix; do
  torqued_at=127.0.0.1:0 echo_at=127.0.0.1:0
  if [ "$transport" = unix ]; then
    torqued_at=unix:$work/t echo_at=unix:$work/e
  fi
  rm -f "$work/address" "$work/echo"
  taskset -c "$cpus" "$bin/torqued" --listen "$torqued_at" --models "$models" \
    --address-file "$work/address" --store "$work/db" 2>"$work/log" &
  server=$!
  taskset -c "$cpus" "$bin/wire_echo" "$echo_at" "$echo_bytes" \
    >"$work/echo" 2>>"$work/log" &
  echo=$!
  await_addresses
  echo "== $transport, all on CPU $cpus"
  taskset -c "$cpus" "$bin/wire_bench" "$models/panda.urdf" \
    "$(cat "$work/address")" $server "$(cat "$work/echo")" $echo
  kill $server $echo
  wait $server $echo || true
  server='' echo=''
done
