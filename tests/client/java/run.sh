#!/bin/sh
# Compiles the Java program of docs/other-languages.md and the conformance runner,
# and runs them against the real server. Exit code 77: Debian's Java packages are
# not there.
set -eu
missing=
for program in javac java protoc grpc_java_plugin; do
  command -v "$program" > /dev/null || missing="$missing $program"
done
for jar in grpc-netty netty-codec-http2 perfmark-api gson guava protobuf \
    protobuf-util geronimo-annotation-1.3-spec; do
  [ -e "/usr/share/java/$jar.jar" ] || missing="$missing $jar.jar"
done
if [ -n "$missing" ]; then
  echo "The Java test lacks$missing: run" \
       "'deploy/debian/install-packages.sh test'." >&2
  exit 77
fi
exec "$1" -B -m pytest -q -rs -p no:cacheprovider test_java.py test_conformance.py
