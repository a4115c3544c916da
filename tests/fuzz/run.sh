#!/usr/bin/env bash
# Runs the fuzz targets of a build for some time each, on the corpus in the
# repository and on what earlier runs added beside the build, and closes with a
# table of what each did.
#
# Usage: tests/fuzz/run.sh BUILD_DIR SECONDS_EACH [TARGET...]
# FUZZ_JOBS: how many targets run at a time; 1.
# Inputs that break a law, crash, take over 5 s or too much memory are left in
# BUILD_DIR/findings/TARGET until they do no more; the exit code is then 1.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=$(realpath "$1") seconds=$2
shift 2
corpus=$PWD/tests/fuzz/corpus
dictionaries=$PWD/tests/fuzz/dictionaries
scratch=$(mktemp -d -p /dev/shm 2>/dev/null || mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'kill $(jobs -p) 2>/dev/null; exit 130' INT TERM

# Longest input in bytes: what a person would send, not what fills memory; the
# large cases are made in code.
longest() {
  case $1 in
    urdf) echo 8192 ;;
    registry) echo 6000 ;;
    check | compute | config | csv | state_table | trajectory_runs) echo 4096 ;;
    *) echo 2048 ;;
  esac
}

# settle TARGET: forgets earlier findings that break nothing any more.
settle() {
  local finding
  for finding in "$build/findings/$1"/*; do
    [ -f "$finding" ] || continue
    ! TMPDIR=$scratch "$build/bin/fuzz_$1" -timeout=5 -rss_limit_mb=1024 \
      -malloc_limit_mb=256 "$finding" >/dev/null 2>&1 || rm "$finding"
  done
}

# fuzz TARGET: its log goes to BUILD_DIR/logs/TARGET.
fuzz() {
  local target=$1 dictionary=()
  mkdir -p "$build/grown/$target" "$build/findings/$target" "$build/logs"
  [ ! -f "$dictionaries/$target.dict" ] ||
    dictionary=("-dict=$dictionaries/$target.dict")
  # What the target keeps for itself lies in memory and goes with the run.
  TMPDIR=$scratch ASAN_OPTIONS=detect_stack_use_after_return=0 \
    "$build/bin/fuzz_$target" "$build/grown/$target" "$corpus/$target" \
    "${dictionary[@]}" -max_total_time="$seconds" -timeout=5 \
    -rss_limit_mb=1024 -malloc_limit_mb=256 -max_len="$(longest "$target")" \
    -artifact_prefix="$build/findings/$target/" -print_final_stats=1 \
    -use_value_profile=1 >"$build/logs/$target" 2>&1 || true
}

# of PATTERN LOG: the last number behind PATTERN.
of() {
  grep -oE "$1 *[0-9]+" "$2" | tail -1 | grep -oE '[0-9]+$' || echo 0
}

if [ $# = 0 ]; then
  for file in tests/fuzz/*_fuzz.cc; do
    set -- "$@" "$(basename "$file" _fuzz.cc)"
  done
fi
running=0
for target in "$@"; do
  settle "$target"
  fuzz "$target" &
  running=$((running + 1))
  if [ $running -ge "${FUZZ_JOBS:-1}" ]; then
    wait -n
    running=$((running - 1))
  fi
done
wait

bad=0 all_executions=0 all_findings=0
row='%-13s %12s %10s %9s %8s %9s\n'
# shellcheck disable=SC2059  # the row is a format
printf "$row" target executions per-second coverage corpus findings
for target in "$@"; do
  log=$build/logs/$target
  findings=$(find "$build/findings/$target" -type f | wc -l)
  executions=$(of 'stat::number_of_executed_units:' "$log")
  all_executions=$((all_executions + executions))
  all_findings=$((all_findings + findings))
  # A target that did not run has found nothing either.
  if [ "$findings" != 0 ] || [ "$executions" = 0 ]; then
    bad=1
    {
      echo "--- $target"
      grep -aE 'broken law|runtime error|ERROR:|SUMMARY:' "$log" | head -5 || true
      tail -n 40 "$log"
    } >&2
  fi
  # shellcheck disable=SC2059
  printf "$row" "$target" "$executions" \
    "$(of 'stat::average_exec_per_sec:' "$log")" "$(of 'cov:' "$log")" \
    "$(of 'corp:' "$log")" "$findings"
done
echo "Fuzzing: $# targets, $all_executions executions, $all_findings findings"
exit $bad
