#!/bin/sh
# Installs exactly the packages that package-lock.json in DIRECTORY names; runs no
# script of a package, and does nothing that is done already. Exit code 77, with the
# reason: node is not there, or the packages cannot be had, or could not be within
# the last 5 minutes. Without DIRECTORY, only looks for node.
#
# Usage: npm-ci.sh [DIRECTORY]
set -eu

for tool in node npm; do
  if ! command -v "$tool" > /dev/null; then
    echo "The tests of the Node client need $tool, which is not installed: run" \
         "'apt-get install nodejs npm' (Debian 12), or install Node 18 or" \
         "later." >&2
    exit 77
  fi
done
[ $# != 0 ] || exit 0

cd "$1"
if cmp -s package-lock.json node_modules/.installed; then exit; fi
cannot_be_had() {
  echo "The packages of $PWD/package-lock.json cannot be had: $(cat npm-away)" >&2
  exit 77
}
# Each test asks, and npm may take 45 s to say that the registry does not answer.
[ -z "$(find . -maxdepth 1 -name npm-away -mmin -5)" ] || cannot_be_had
if ! timeout 45 npm ci --ignore-scripts --prefer-offline --no-audit --no-fund \
    --loglevel=error --fetch-timeout=10000 --fetch-retries=0 2> npm-log; then
  cat npm-log >&2
  [ -s npm-log ] || echo "no answer (ETIMEDOUT) within 45 s" > npm-log
  grep -m 1 -E 'ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|_TIMEOUT|ENETUNREACH|EHOSTUNREACH|ENOTCACHED|network timeout' \
    npm-log > npm-away || { rm npm-away; exit 1; }
  cannot_be_had
fi
cp package-lock.json node_modules/.installed
