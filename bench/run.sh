#!/usr/bin/env bash
# Measures, then writes the tables of docs/performance.md and the plot.
#
# Usage: bench/run.sh BUILD_DIR [flags of torqued_bench]
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1
shift

"$build/bin/torqued_bench" --benchmark_out="$build/bench.json" \
  --benchmark_out_format=json "$@" >"$build/bench.txt"
/usr/bin/python3 -B bench/report.py "$build/bench.json" \
  --page docs/performance.md --plot docs/performance.svg
echo "docs/performance.md, docs/performance.svg; all figures: $build/bench.json"
