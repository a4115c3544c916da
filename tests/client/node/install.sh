#!/bin/sh
# Builds the Node client in DIRECTORY and puts its tests beside it; does nothing
# that is done already. Installs exactly what package-lock.json says and runs no
# script of a package. Exit code 77: node is not there, or the packages cannot be
# had.
#
# Usage: install.sh DIRECTORY
set -eu

tests=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$tests/../../.." && pwd)
directory=$1

"$root/tests/support/npm-ci.sh"

mkdir -p "$directory"
exec 9> "$directory/.lock"
flock -w 150 9

# Of everything that is copied.
stamp=$(cd "$root" &&
  find client/node/src client/node/scripts client/node/*.json proto/torqued proto/plugin \
    tests/client/node -type f -exec sha256sum {} + | sort | sha256sum)
package=$directory/client/node
if [ "$stamp" = "$(cat "$package/.built" 2> /dev/null || true)" ]; then exit; fi

mkdir -p "$package" "$directory/node_modules" "$directory/proto"
rm -rf "$package/src" "$package/scripts" "$package/dist" "$directory/tests" \
   "$directory/proto/torqued" "$directory/proto/plugin"
cp -r "$root/client/node/src" "$root/client/node/scripts" "$package/"
cp "$root"/client/node/*.json "$package/"
cp -r "$root/proto/torqued" "$root/proto/plugin" "$directory/proto/"
cp -r "$tests" "$directory/tests"
ln -sfn ../client/node "$directory/node_modules/torqued"

"$root/tests/support/npm-ci.sh" "$package"
cd "$package"
npm run --silent build
echo "$stamp" > .built
