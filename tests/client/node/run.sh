#!/bin/sh
# Runs one file of the Node client's tests in DIRECTORY. Exit code 77: skipped.
#
# Usage: run.sh DIRECTORY FILE
set -eu
here=$(cd "$(dirname "$0")" && pwd)
"$here/install.sh" "$1"
cd "$1/tests"
exec node --test "$2"
