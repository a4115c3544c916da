#!/usr/bin/env bash
# Builds planner.go with the packages of Debian and runs it. In a module of your own
# leave out GOPATH and GO111MODULE: `go get google.golang.org/grpc` brings the libraries.
# Usage: run.sh ADDRESS [BUILD_DIR]
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
proto=$here/../../proto
build=${2:-build/go}
module=example.com/planner

mkdir -p "$build/src/$module"
# The files do not name their Go package.
options=()
for file in "$proto"/torqued/v1/*.proto; do
  name=${file#"$proto"/}
  options+=("--go_opt=M$name=$module/torquedv1" "--go-grpc_opt=M$name=$module/torquedv1")
done
protoc -I "$proto" --go_out="$build/src" --go-grpc_out="$build/src" "${options[@]}" \
  "$proto"/torqued/v1/*.proto
cp "$here/planner.go" "$build/src/$module"
build=$(cd "$build" && pwd)
export GO111MODULE=off GOPATH="$build:/usr/share/gocode"
go build -o "$build/planner" "$module"
"$build/planner" "$1"
