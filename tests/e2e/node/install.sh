#!/bin/sh
# Puts the planner and the packages it needs into DIRECTORY; does nothing that
# is done already. Exit code 77: node is not there, or the packages cannot be had.
#
# Usage: install.sh DIRECTORY
set -eu

source=$(cd "$(dirname "$0")" && pwd)
directory=$1

mkdir -p "$directory"
cp "$source/package.json" "$source/package-lock.json" "$source/planner.mjs" \
   "$directory/"
"$source/../../support/npm-ci.sh" "$directory"
