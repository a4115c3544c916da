#!/bin/sh
# Runs cpp_calls over TCP and over a Unix socket; medians of nine rounds.
#
# Usage: cpp_calls.sh [BINARIES]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
bin=${1:-$here/../../build/release/bin}
work=$(mktemp -d)
server=''
trap 'exit 1' INT TERM HUP
trap 'kill $server 2>/dev/null || true; wait; rm -rf "$work"' EXIT

for address in 127.0.0.1:0 "unix:$work/socket"; do
  rm -f "$work/address"
  "$bin/torqued" --listen "$address" --models "$here/../../deploy/models" \
    --address-file "$work/address" --store "$work/db" 2>"$work/log" &
  server=$!
  until [ -s "$work/address" ]; do
    kill -0 $server || { cat "$work/log" >&2; exit 1; }
    sleep 0.05
  done
  echo "== ${address%%:*}"
  "$bin/cpp_calls" "$(cat "$work/address")" panda
  kill $server
  wait $server || true
  server=''
done
