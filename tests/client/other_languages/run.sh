#!/bin/sh
# Builds the example program of one language and runs it against the real server. Exit code 77: Debian's packages
# of the language are not there.
#
# Usage: run.sh go|java
set -eu
language=$1
case $language in
  go)
    programs="go protoc-gen-go protoc-gen-go-grpc"
    there=/usr/share/gocode/src/google.golang.org
    files="grpc protobuf genproto"
    ;;
  java)
    programs="javac java grpc_java_plugin"
    there=/usr/share/java
    files="grpc-netty.jar netty-codec-http2.jar perfmark-api.jar gson.jar
      guava.jar protobuf.jar
      geronimo-annotation-1.3-spec.jar"
    ;;
esac
missing=
for program in protoc $programs; do
  command -v "$program" > /dev/null || missing="$missing $program"
done
for file in $files; do
  [ -e "$there/$file" ] || missing="$missing $file"
done
if [ -n "$missing" ]; then
  echo "The test of $language lacks$missing: run" \
       "'.ci/install-dependencies test'." >&2
  exit 77
fi
TEST_LANGUAGE=$language exec /usr/bin/python3 -B -m pytest -q -rs \
  -p no:cacheprovider .
