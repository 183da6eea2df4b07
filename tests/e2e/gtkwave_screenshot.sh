#!/usr/bin/env bash
# Opens the waves of a decode step in GTKWave on a display of its own and looks at the picture.
#   gtkwave_screenshot.sh PROGRAM FOLDER
# Passes when every signal of the save file is in the dump, GTKWave shows a trace for each, and the wave area of the
# screenshot is drawn. Exits 77 (skipped) where GTKWave, Xvfb or ImageMagick is not installed.
set -uo pipefail

program=$1
folder=$2

for command in gtkwave Xvfb import convert; do
  if ! command -v "$command" >/dev/null; then
    echo "skipped: $command is not installed"
    exit 77
  fi
done

fail() {
  echo "FAILED: $*"
  exit 1
}

pids=()
end_children() {
  local i
  for ((i = ${#pids[@]} - 1; i >= 0; --i)); do
    kill "${pids[i]}" 2>/dev/null
    wait "${pids[i]}" 2>/dev/null
  done
}
trap end_children EXIT

rm -rf -- "$folder"
mkdir -p -- "$folder/home" || fail "cannot make $folder"
cd -- "$folder" || fail "cannot enter $folder"
export HOME=$PWD/home  # nobody's ~/.gtkwaverc takes part

"$program" decode --model distilgpt2 --context 128 --waves "$PWD/out.vcd" >run.log 2>&1 ||
  fail "the run ended with $?: $(tail -n 5 run.log)"
[[ -s out.vcd && -s out.gtkw ]] || fail "no out.vcd and out.gtkw"

# Xvfb picks a display that is free and says which.
mkfifo display
Xvfb -displayfd 3 -screen 0 1600x900x24 -nolisten tcp 3>display >xvfb.log 2>&1 &
pids+=($!)
read -r -t 30 number <display || fail "Xvfb did not start: $(cat xvfb.log)"
export DISPLAY=:$number NO_AT_BRIDGE=1

# The names in the dump, and the number of traces on show. A signal that GTKWave does not know is silently left out.
cat >query.tcl <<'TCL'
for {set i 0} {$i < [gtkwave::getNumFacs]} {incr i} { puts "facility [gtkwave::getFacName $i]" }
puts "traces [gtkwave::getTotalNumTraces]"
gtkwave::/File/Quit
TCL
timeout 60 gtkwave out.vcd out.gtkw -S query.tcl >query.log 2>&1 || fail "gtkwave ended with $?: $(tail -n 5 query.log)"
grep -o 'facility .*' query.log | sed 's/^facility //' | sort -u >facilities.txt
[[ -s facilities.txt ]] || fail "gtkwave read no signals: $(tail -n 5 query.log)"

# A signal's line in a save file is its name, after an alias in braces where it has one. Lines that begin with
# @ [ * ^ - hold flags, settings, zoom, filters and dividers; #{name} begins a vector made of single bits.
sed -nE '/^[@*^#-]|^\[/d; s/^\+\{[^}]*\} //; s/[[:space:]]+$//; /./p' out.gtkw | sort -u >signals.txt
[[ -s signals.txt ]] || fail "out.gtkw names no signal"
missing=$(comm -23 signals.txt facilities.txt)
[[ -z $missing ]] || fail "signals of out.gtkw that out.vcd does not have: $(head -n 5 <<<"$missing")"
traces=$(sed -n 's/^.*traces \([0-9]*\)$/\1/p' query.log)
((traces >= $(wc -l <signals.txt))) || fail "gtkwave shows $traces traces of $(wc -l <signals.txt) signals"

# The wave area is a background and a grid, two colours, until something is drawn. GTKWave takes a moment: look until the
# picture is there.
gtkwave out.vcd out.gtkw >gtkwave.log 2>&1 &
pids+=($!)
colours=0
for ((try = 0; try < 40; ++try)); do
  sleep 0.5
  kill -0 "${pids[-1]}" 2>/dev/null || fail "gtkwave is gone: $(tail -n 5 gtkwave.log)"
  import -window root gtkwave.png 2>import.log || continue
  # The window's lower right part holds waves only, whatever the widths of the panes to its left.
  colours=$(convert gtkwave.png -crop 700x400+760+200 +repage -format '%k' info:)
  ((colours >= 8)) && break
done
((colours >= 8)) || fail "the screenshot's wave area is blank ($colours colours)"
echo "$(wc -l <signals.txt) signals, $traces traces, $colours colours in $PWD/gtkwave.png"
