#!/usr/bin/env bash
# Builds Planner.java with the packages of Debian and runs it.
# Usage: run.sh ADDRESS [BUILD_DIR]
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
proto=$here/../../proto
build=${2:-build/java}

mkdir -p "$build/src" "$build/classes"
protoc -I "$proto" --java_out="$build/src" --grpc-java_out="$build/src" \
  --plugin=protoc-gen-grpc-java="$(command -v grpc_java_plugin)" \
  "$proto"/torqued/v1/*.proto
jars=$(printf '/usr/share/java/%s.jar:' grpc-api grpc-context grpc-core \
  grpc-netty grpc-protobuf grpc-protobuf-lite grpc-stub guava protobuf gson \
  perfmark-api geronimo-annotation-1.3-spec netty-buffer netty-codec \
  netty-codec-http netty-codec-http2 netty-common netty-handler \
  netty-resolver netty-transport)
find "$build/src" -name '*.java' -print0 |
  xargs -0 javac -nowarn -cp "$jars" -d "$build/classes" "$here/Planner.java"
java -cp "$build/classes:$jars" Planner "$1"
