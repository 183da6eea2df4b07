#!/usr/bin/env bash
# Fuzzes one parser for a while under ASan and UBSan, from the samples of tests/data as seeds.
#
# usage: fuzz_short.sh ktir|schedule BUILD-FOLDER [SECONDS]
# Needs clang++ with libFuzzer; exits 77 (a skipped test) where there is none.
set -euo pipefail

target=$1
build=$2/fuzz
seconds=${3:-60}
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.."

if ! command -v clang++ >/dev/null; then
  echo "fuzz: there is no clang++ (Debian package clang): not run"
  exit 77
fi

diagnostics=(models/diagnostics/*.cpp)
case $target in
  ktir)
    sources=(tests/fuzz/ktir_fuzzer.cpp kernels/ktir/*.cpp "${diagnostics[@]}")
    seeds=tests/data/ktir
    ;;
  schedule)
    sources=(tests/fuzz/schedule_fuzzer.cpp kernels/schedule/{expression,reader,writer}*.cpp
      kernels/schedule/{names,layout,number_text,tile_geometry}.cpp models/isa/tile_op.cpp
      "${diagnostics[@]}")
    seeds=tests/data/schedules
    ;;
  *)
    echo "fuzz: ktir or schedule, not '$target'" >&2
    exit 2
    ;;
esac

# Objects are kept, so that a second run compiles what has changed only.
mkdir -p "$build/$target" "$build/corpus-$target"
flags=(-std=c++20 -g -O1 -fsanitize=fuzzer,address,undefined -I.)
compile() {
  local object=$build/$target/${1//\//_}.o
  if [[ ! -e $object || -n $(find "$1" kernels models tests/fuzz -newer "$object" -name '*.h' -print -quit) ||
        $1 -nt $object ]]; then
    clang++ "${flags[@]}" -c "$1" -o "$object"
  fi
}
for source in "${sources[@]}"; do
  compile "$source" &
  while (($(jobs -rp | wc -l) >= $(nproc))); do wait -n; done
done
while (($(jobs -rp | wc -l) > 0)); do wait -n; done
objects=()
for source in "${sources[@]}"; do objects+=("$build/$target/${source//\//_}.o"); done
clang++ "${flags[@]}" "${objects[@]}" -lfmt -lyaml-cpp -o "$build/${target}_fuzzer"

exec "$build/${target}_fuzzer" -max_len=4096 -timeout=10 -rss_limit_mb=2048 -max_total_time="$seconds" \
  -artifact_prefix="$build/" -print_final_stats=1 "$build/corpus-$target" "$seeds"
