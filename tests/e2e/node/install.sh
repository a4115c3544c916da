#!/bin/sh
# Puts the planner and the packages it needs into DIRECTORY; does nothing that
# is done already. Installs exactly what package-lock.json says and runs no
# script of a package.
#
# Usage: install.sh DIRECTORY
set -eu

source=$(cd "$(dirname "$0")" && pwd)
directory=$1

for tool in node npm; do
  if ! command -v "$tool" > /dev/null; then
    echo "The Node planner needs $tool, which is not installed: run" \
         "'apt-get install nodejs npm' (Debian 12), or install Node 18 or" \
         "later." >&2
    exit 1
  fi
done

mkdir -p "$directory"
cp "$source/package.json" "$source/package-lock.json" "$source/planner.mjs" \
   "$directory/"
cd "$directory"
if ! cmp -s package-lock.json node_modules/.installed; then
  npm ci --ignore-scripts --prefer-offline --no-audit --no-fund \
    --loglevel=error
  cp package-lock.json node_modules/.installed
fi
