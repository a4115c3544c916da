#!/usr/bin/env bash
# From how many states on a server is faster than a library in process: measures,
# then writes docs/break-even.json and from it the tables of docs/break-even.md
# and the plot. Takes about ten minutes.
#
# Usage: bench/break_even.sh BUILD_DIR PYTHONPATH
#   BUILD_DIR    of the preset bench, with break_even and torqued built
#   PYTHONPATH   where the Python client is: build/release/python
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1 python=$2
work=$(mktemp -d)
servers=()
trap 'exit 1' INT TERM HUP
trap 'kill "${servers[@]}" 2>/dev/null || true; wait; rm -rf "$work"' EXIT

addresses=()
for transport in unix tcp; do
  at=127.0.0.1:0
  [ $transport = tcp ] || at=unix:$work/socket
  "$build/bin/torqued" --listen "$at" --models deploy/models \
    --address-file "$work/$transport" --store "$work/$transport.db" \
    2>"$work/log" &
  servers+=($!)
  until [ -s "$work/$transport" ]; do
    kill -0 $! || { cat "$work/log" >&2; exit 1; }
    sleep 0.05
  done
  addresses+=("$transport=$(cat "$work/$transport")")
done

# What disturbs the machine for a while disturbs one sweep.
for _ in 1 2 3 4 5 6 7; do
  "$build/bin/break_even" "${addresses[@]}" >>"$work/measured"
  PYTHONPATH=$python /usr/bin/python3 -B bench/clients/break_even.py \
    "${addresses[@]}" >>"$work/measured"
done
/usr/bin/python3 -B bench/break_even_report.py collect "$work/measured" \
  >docs/break-even.json
/usr/bin/python3 -B bench/break_even_report.py write
