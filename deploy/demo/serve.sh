#!/bin/sh
# Leaves a server running in the background with the example models, and prints
# what to call.
#
# Usage: deploy/demo/serve.sh start|stop BIN_DIR STATE_DIR
# TORQUED_LISTEN: where to serve; 127.0.0.1:7421.
set -eu

action=$1
bin=$2
state=$3
here=$(dirname "$0")

# The process of the pid file may be another by now.
running() {
  [ -s "$state/pid" ] || return 1
  program=$(readlink "/proc/$(cat "$state/pid")/exe") || return 1
  [ "${program% (deleted)}" = "$(readlink -f "$bin/torqued")" ]
}

case $action in
  stop)
    running || { rm -f "$state/pid"; echo "No server is running."; exit 0; }
    kill "$(cat "$state/pid")"
    # Calls in flight get 30 s.
    tries=0
    while running; do
      [ $tries -lt 800 ] || {
        echo "Still running after 40 s (pid $(cat "$state/pid"))." >&2
        exit 1
      }
      tries=$((tries + 1))
      sleep 0.05
    done
    rm -f "$state/pid" "$state/address"
    echo "Stopped."
    exit 0
    ;;
  start) ;;
  *) echo "usage: $0 start|stop BIN_DIR STATE_DIR" >&2; exit 64 ;;
esac

mkdir -p "$state"
if running; then
  echo "Already running on $(cat "$state/address") (pid $(cat "$state/pid"))."
else
  rm -f "$state/address"
  setsid "$bin/torqued" --listen "${TORQUED_LISTEN:-127.0.0.1:7421}" \
    --address-file "$state/address" --store "$state/models.db" \
    --models "$here/../models" </dev/null >"$state/log" 2>&1 &
  pid=$!
  echo $pid >"$state/pid"
  tries=0
  while [ ! -s "$state/address" ]; do
    kill -0 $pid 2>/dev/null && [ $tries -lt 300 ] || {
      kill $pid 2>/dev/null || true
      rm -f "$state/pid"
      echo "The server did not start (TORQUED_LISTEN=HOST:PORT serves" \
        "elsewhere):" >&2
      cat "$state/log" >&2
      exit 1
    }
    tries=$((tries + 1))
    sleep 0.05
  done
  echo "Serving on $(cat "$state/address") (pid $(cat "$state/pid"))."
fi

address=$(cat "$state/address")
cat <<TEXT
Log: $state/log

Try:
  $bin/torquectl --server $address models list
  $bin/torquectl --server $address id --model planar_2r --q 0.1,0.2 --gravity 0,-9.81,0
  $bin/torquectl --server $address opspace --model ur5e --q 0.1,-1.2,1.5,-0.4,1.1,0

Stop it with: make stop
TEXT
