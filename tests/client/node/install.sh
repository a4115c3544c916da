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
cannot_be_had='ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ENOTCACHED'

for tool in node npm; do
  if ! command -v "$tool" > /dev/null; then
    echo "The tests of the Node client need $tool, which is not installed: run" \
         "'apt-get install nodejs npm' (Debian 12), or install Node 18 or" \
         "later." >&2
    exit 77
  fi
done

mkdir -p "$directory"
exec 9> "$directory/.lock"
flock 9

# Of everything that is copied.
stamp=$(cd "$root" &&
  find client/node/src client/node/scripts client/node/*.json proto/torqued \
    tests/client/node -type f -exec sha256sum {} + | sort | sha256sum)
package=$directory/client/node
if [ "$stamp" = "$(cat "$package/.built" 2> /dev/null || true)" ]; then exit; fi

mkdir -p "$package" "$directory/node_modules" "$directory/proto"
rm -rf "$package/src" "$package/scripts" "$package/dist" "$directory/tests" \
   "$directory/proto/torqued"
cp -r "$root/client/node/src" "$root/client/node/scripts" "$package/"
cp "$root"/client/node/*.json "$package/"
cp -r "$root/proto/torqued" "$directory/proto/"
cp -r "$tests" "$directory/tests"
ln -sfn ../client/node "$directory/node_modules/torqued"

cd "$package"
if ! cmp -s package-lock.json node_modules/.installed; then
  if ! npm ci --ignore-scripts --prefer-offline --no-audit --no-fund \
      --loglevel=error 2> npm-log; then
    cat npm-log >&2
    if grep -qE "$cannot_be_had" npm-log; then exit 77; fi
    exit 1
  fi
  cp package-lock.json node_modules/.installed
fi

npm run --silent build
echo "$stamp" > .built
