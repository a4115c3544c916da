#!/bin/sh
# Leaves a server running in the background with the example models, and prints
# what to call.
#
# Usage: deploy/demo/serve.sh start|stop BIN_DIR STATE_DIR
set -eu

action=$1
bin=$2
state=$3
here=$(dirname "$0")

running() {
  [ -s "$state/pid" ] && kill -0 "$(cat "$state/pid")" 2>/dev/null
}

case $action in
  stop)
    running || { echo "No server is running."; exit 0; }
    pid=$(cat "$state/pid")
    kill "$pid"
    tries=0
    while kill -0 "$pid" 2>/dev/null && [ $tries -lt 600 ]; do
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
  echo $! >"$state/pid"
  tries=0
  while [ ! -s "$state/address" ]; do
    running && [ $tries -lt 300 ] || {
      echo "The server did not start:" >&2
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
