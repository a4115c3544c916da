#!/bin/sh
# Serves a 7-axis arm, checks a trajectory of 10 000 samples through the server,
# and leaves torques, the verdict and a report with plots to look at.
#
# Usage: examples/demo.sh BIN_DIR OUTPUT_DIR
set -eu

bin=$1
out=$2
here=$(dirname "$0")
robots=$here/robots

mkdir -p "$out"
work=$(mktemp -d)
server_pid=
stop() {
  status=$?
  trap - EXIT INT TERM
  if [ -n "$server_pid" ]; then
    kill "$server_pid" 2>/dev/null || true
    wait "$server_pid" 2>/dev/null || true
  fi
  rm -rf "$work"
  exit $status
}
trap stop EXIT
trap 'exit 130' INT TERM

echo "== Starting the server on a free loopback port"
"$bin/torqued" --listen 127.0.0.1:0 --address-file "$work/address" \
  --store "$work/models.db" 2>"$out/server.log" &
server_pid=$!
tries=0
while [ ! -s "$work/address" ]; do
  kill -0 "$server_pid" 2>/dev/null && [ $tries -lt 300 ] || {
    echo "The server did not start:" >&2
    cat "$out/server.log" >&2
    exit 1
  }
  tries=$((tries + 1))
  sleep 0.05
done
address=$(cat "$work/address")
echo "   serving on $address"

ctl() { "$bin/torquectl" --server "$address" "$@"; }

echo
echo "== Registering the 7-axis arm"
ctl models add "$robots/panda.urdf" --name panda

echo
echo "== Evaluating a pick-and-place trajectory of 10 000 samples"
/usr/bin/python3 "$robots/panda_pick_and_place.py" -o "$out/trajectory.csv"
ctl trajectory check "$out/trajectory.csv" --model panda \
  -o "$out/torques.csv" --html "$out/report.html" --summary "$out/summary.json"

echo
echo "== Operational space of the flange at the home pose"
ctl opspace --model panda --reference-frame local_world_aligned \
  --q 0,-0.7853981633974483,0,-2.356194490192345,0,1.5707963267948966,0.7853981633974483

echo
echo "== Left to look at"
ls -l "$out"
