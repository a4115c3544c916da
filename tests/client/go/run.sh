#!/bin/sh
# Builds the Go program of docs/other-languages.md and the conformance runner, and
# runs them against the real server. Exit code 77: Debian's Go packages are not
# there.
set -eu
missing=
for program in go protoc protoc-gen-go protoc-gen-go-grpc; do
  command -v "$program" > /dev/null || missing="$missing $program"
done
for package in google.golang.org/grpc google.golang.org/protobuf \
    google.golang.org/genproto; do
  [ -e "/usr/share/gocode/src/$package" ] || missing="$missing $package"
done
if [ -n "$missing" ]; then
  echo "The Go test lacks$missing: run" \
       "'deploy/debian/install-packages.sh test'." >&2
  exit 77
fi
exec "$1" -B -m pytest -q -rs -p no:cacheprovider test_go.py test_conformance.py
