#!/bin/sh
# What the Node client costs beside the bare transport: 10 000 states of inverse
# dynamics of a 7-axis arm through the client, as bytes that nobody decodes, and
# as `values`; and one state at a time. Prints milliseconds, medians. The server
# is started by the program.
#
# Usage: node.sh [TORQUED [DIRECTORY]]   DIRECTORY receives the client's build
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
TORQUED_SERVER=${1:-$root/build/release/bin/torqued}
directory=${2:-$root/build/bench-node}
BENCH_SOURCE=$root
export TORQUED_SERVER BENCH_SOURCE
"$root/tests/client/node/install.sh" "$directory"
cp "$here/node.mjs" "$directory/tests/"
exec node "$directory/tests/node.mjs"
