#!/bin/sh
# Time and memory: bench.sh BUILD [CORPUS]
# osim2fb beside `xmllint --noout` on the larger models of CORPUS/corpus/osim (300 KB and more), and on
# models grown from models/elbow to 5 and 50 MB. Times are those of whole processes, the least of several
# runs that take turns; memory is the largest resident set. Prints a table; does not judge.
set -u
cd "$(dirname "$0")/../.." || exit 2
exec /usr/bin/python3 - "$1" "${2:-}" << 'END'
import glob
import os
import subprocess
import sys
import tempfile
import time

LIMIT_TIME = 3  # times xmllint's
LIMIT_MEMORY = 8  # bytes for each byte of the file, past the first 20 MB
TIME = "/usr/bin/time"
build, corpus = sys.argv[1:]


def run(command):
    """Milliseconds of a process, begun and ended."""
    begin = time.perf_counter()
    status = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode
    took = (time.perf_counter() - begin) * 1e3
    if status != 0:
        raise OSError("%s: status %d" % (" ".join(command), status))
    return took


def peak(command):
    """Largest resident set in MB. Not a child of Python: it would count Python's own pages until exec."""
    if os.path.exists(TIME):
        with tempfile.NamedTemporaryFile("r") as file:
            subprocess.run([TIME, "-f", "%M", "-o", file.name] + command, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL, check=False)
            return int(file.read().split()[-1]) / 1024
    # sh, which is small, is the parent; it prints the largest resident set that this kernel knows of
    script = '"$@" > /dev/null 2>&1 & p=$!; m=0; while v=$(grep VmHWM /proc/$p/status 2> /dev/null) && [ "$v" ]; ' \
             'do m=${v##*:}; done; echo $m'
    words = subprocess.run(["sh", "-c", script, "sh"] + command, stdout=subprocess.PIPE, check=False).stdout.split()
    return int(words[0]) / 1024 if words else float("nan")


def measure(file, runs):
    """(xmllint ms, osim2fb ms, MB) of a file."""
    xmllint = ["xmllint", "--noout", "--huge", file]
    osim2fb = [os.path.join(build, "osim2fb"), "-q", file]
    times = [(run(xmllint), run(osim2fb)) for _ in range(runs)]
    return min(t[0] for t in times), min(t[1] for t in times), peak(osim2fb)


def mark(value, limit):
    return "%6.2f%s" % (value, "*" if value > limit else " ")


def row(name, file, runs):
    """Prints one line; (bytes, ms, over) of osim2fb."""
    size = os.path.getsize(file)
    try:
        theirs, ours, memory = measure(file, runs)
    except OSError as error:
        print("%-40.40s %8.2f  %s" % (name, size / 1e6, error))
        return None
    ratio, factor = ours / theirs, max(0, memory - 20) * 1048576 / size
    print("%-40.40s %8.2f %10.1f %10.1f %s %9.1f %s" %
          (name, size / 1e6, theirs, ours, mark(ratio, LIMIT_TIME), memory, mark(factor, LIMIT_MEMORY)))
    sys.stdout.flush()
    return size, ours, (ratio > LIMIT_TIME) + (factor > LIMIT_MEMORY)


def main():
    print("%-40s %8s %10s %10s %6s  %9s %6s" %
          ("model", "MB", "xmllint ms", "osim2fb ms", "ratio", "peak MB", "factor"))
    pattern = os.path.join(corpus, "corpus", "osim", "*.osim")
    files = [f for f in sorted(glob.glob(pattern)) if os.path.getsize(f) >= 300000] if corpus else []
    rows = [row(os.path.basename(file), file, 9) for file in files]
    grown = []
    with tempfile.TemporaryDirectory() as folder:
        for megabytes, runs in (5, 7), (50, 3):
            file = os.path.join(folder, "grown_%d.osim" % megabytes)
            with open(file, "wb") as out:
                subprocess.run([sys.executable, "tests/bench/grow.py", "models/elbow/elbow.osim",
                                str(megabytes * 1000000)], stdout=out, check=True)
            grown.append(row("models/elbow grown", file, runs))
    over = sum(r[2] for r in rows + grown if r)
    print("bench: %d values over their limits (ratio %d; factor (peak - 20 MB) / size %d)" %
          (over, LIMIT_TIME, LIMIT_MEMORY))
    if all(grown):
        (small, t_small, _), (large, t_large, _) = grown
        print("bench: time per MB, %.0f MB against %.0f MB: %.2f times" %
              (large / 1e6, small / 1e6, (t_large / large) / (t_small / small)))


main()
END
