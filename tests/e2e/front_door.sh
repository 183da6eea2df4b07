#!/usr/bin/env bash
# ./emu on a toy tree whose program is a shell script, so that a build takes no time: what it builds, what it passes on,
# what it says when packages are missing, and how it recovers.
#   front_door.sh EMU FOLDER        the folder's name should have a space in it
set -uo pipefail

emu=$1
folder=$2
failures=0

check() {  # check WHAT: the last command's status, output and errors are in $status, out.txt and err.txt
  printf 'FAILED: %s (exit %s)\n--- out\n%s\n--- err\n%s\n' "$1" "$status" "$(cat out.txt)" "$(cat err.txt)"
  failures=$((failures + 1))
}

run() {  # run COMMAND ...
  "$@" >out.txt 2>err.txt </dev/null
  status=$?
}

rm -rf -- "$folder"
mkdir -p -- "$folder/tree/tests" "$folder/bin" && cd -- "$folder" || exit 1
unset EMU_BUILD_DIR EMU_NO_INSTALL SYSTEMC_HOME
export EMU_NO_INSTALL=1  # a test installs nothing
cp -- "$emu" tree/emu
cat >tree/program.sh <<'SH'
#!/bin/sh
printf '<%s>' "$0" "$@"
exit 7
SH
cat >tree/CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.25)
project(toy LANGUAGES NONE)
enable_testing()
set(program "${CMAKE_BINARY_DIR}/runtime/spyre-emu")
add_custom_command(OUTPUT "${program}" DEPENDS program.sh
  COMMAND sh -n "${CMAKE_SOURCE_DIR}/program.sh"
  COMMAND "${CMAKE_COMMAND}" -E copy "${CMAKE_SOURCE_DIR}/program.sh" "${program}"
  COMMAND chmod +x "${program}" VERBATIM)
add_custom_target(spyre-emu ALL DEPENDS "${program}")
add_test(NAME toy.passes COMMAND true)
CMAKE
# dpkg-query says that everything is there, but for what is named in FAKE_MISSING.
cat >bin/dpkg-query <<'SH'
#!/bin/bash
[[ " ${FAKE_MISSING:-} " == *" ${!#} "* ]] || printf installed
SH
chmod +x bin/dpkg-query
PATH=$PWD/bin:$PATH

run env FAKE_MISSING="libfmt-dev libyaml-cpp-dev" tree/emu decode
((status == 2)) && grep -qF 'apt-get install --no-install-recommends libyaml-cpp-dev libfmt-dev' err.txt ||
  check "missing packages: exit 2 and the line to run"

run tree/emu decode --model 'a b' ''
((status == 7)) && grep -qF '<decode><--model><a b><>' out.txt || check "arguments and the exit code go through"

run tree/emu decode
((status == 7)) && [[ ! -s err.txt ]] || check "nothing is said when nothing is to do"

ln -s tree/emu link
run ./link x
((status == 7)) && grep -q 'build/release/runtime/spyre-emu><x>' out.txt || check "works through a link"

sed -i 's/exit 7/exit 8/' tree/program.sh
run tree/emu decode
((status == 8)) || check "a changed source is built before it runs"

echo 'if' >>tree/program.sh
run tree/emu decode
((status == 3)) && [[ ! -s out.txt ]] && grep -q 'Syntax error' err.txt && grep -q 'emu: the build failed' err.txt ||
  check "a build that fails shows why, and nothing stale runs"
sed -i '$d' tree/program.sh
run tree/emu decode
((status == 8)) || check "recovers after a build that failed"

mv tree moved
run moved/emu decode
((status == 8)) && grep -q "/moved/build/release/runtime/spyre-emu>" out.txt || check "a tree that moved is built anew"

run env EMU_BUILD_DIR=elsewhere moved/emu decode
((status == 8)) && [[ -x elsewhere/runtime/spyre-emu ]] || check "EMU_BUILD_DIR is relative to the current folder"

run moved/emu test
((status == 0)) && grep -q '100% tests passed' out.txt || check "emu test shows ctest's summary"

run moved/emu test -R nothing-of-that-name
((status != 0)) || check "emu test without a test is a failure"

run moved/emu help
((status == 0)) && grep -q './emu test' out.txt || check "help"

((failures == 0)) && echo "all passed"
exit $((failures > 0))
