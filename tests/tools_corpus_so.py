#!/usr/bin/env python3
"""Static optimisation and MuscleAnalysis against OpenSim 4.5.2: the set-ups of corpus/pipelines, unmodified.

Same columns, header and times; each activation within 0.005 (root mean square over the rows) of 1 or of
an actuator's largest control, forces within that share of those at activation 1 or of their largest;
the cost in no row higher than OpenSim's. MuscleAnalysis within 1e-4 of 1 or of a table's size, but for
rows of muscles that OpenSim leaves at their default fiber length, having found no equilibrium.

Usage: tools_corpus_so.py BUILD SHARED WORK
"""
import os
import subprocess
import sys
import time

BUILD, SHARED, WORK = sys.argv[1:4]
FBSIM = os.path.join(BUILD, "fbsim")
PIPELINES = [
    ("Gait2354_Simbody", "subject01_Setup_StaticOptimization.xml"),
    ("Gait2392_Simbody", "subject01_Setup_StaticOptimization.xml"),
    ("Gait10dof18musc", "StaticOptimization/walk_Setup_SO.xml"),
]
failures = 0


def check(good, text):
    global failures
    failures += not good
    print(("ok   " if good else "FAIL ") + text)


def table(file):
    with open(file) as f:
        lines = f.read().splitlines()
    end = next(i for i, line in enumerate(lines) if line.strip() == "endheader")
    columns = lines[end + 1].split("\t")
    return lines[: end + 1], columns, [[float(x) for x in r.split()] for r in lines[end + 2:] if r]


def compare(name, kind, out, sizes):
    """sizes: of each column, what its errors are shares of; None: for activations."""
    file = f"subject01_walk1_StaticOptimization_{kind}.sto"
    header, columns, ours = table(os.path.join(out, file))
    header2, columns2, theirs = table(
        os.path.join(SHARED, "ref/tools", name, "StaticOptimization", file))
    check(header == header2, f"{name} {kind}: the header")
    check(columns == columns2, f"{name} {kind}: {len(columns)} columns")
    check([r[0] for r in ours] == [r[0] for r in theirs], f"{name} {kind}: {len(ours)} times")
    if columns != columns2 or len(ours) != len(theirs):
        return
    worst, which = 0, ""
    for j in range(1, len(columns)):
        size = max(1, max(abs(r[j]) for r in theirs), sizes[j] if sizes else 0)
        error = (sum((a[j] - b[j])**2 for a, b in zip(ours, theirs)) / len(ours))**0.5 / size
        if error >= worst:
            worst, which = error, columns[j]
    check(worst <= 0.005, f"{name} {kind}: worst {worst:.2g} ({which})")
    if not sizes:
        excess = max(sum(x * x for x in a[1:]) - sum(x * x for x in b[1:])
                     for a, b in zip(ours, theirs))
        check(excess <= 1e-9, f"{name}: cost above OpenSim's {excess:.2g}")


def units(name):
    """The largest force at activation 1 of each column that has one, by OpenSim's numbers."""
    folder = os.path.join(SHARED, "ref/tools", name, "StaticOptimization")
    rows = [table(os.path.join(folder, f"subject01_walk1_StaticOptimization_{kind}.sto"))[2]
            for kind in ("activation", "force")]
    n = len(rows[0][0])
    largest = [max(abs(f[j] / a[j]) if a[j] else 0 for a, f in zip(*rows)) for j in range(n)]
    return largest + [0] * (len(rows[1][0]) - n)


for name, setup in PIPELINES:
    out = os.path.join(WORK, "so", name)
    start = time.time()
    run = subprocess.run([FBSIM, "run", os.path.join(SHARED, "corpus/pipelines", name, setup),
                          "--out", out], capture_output=True, text=True)
    check(run.returncode == 0, f"{name}: {time.time() - start:.3f} s {run.stderr.strip()}")
    if run.returncode == 0:
        compare(name, "activation", out, None)
        compare(name, "force", out, units(name))


def muscle_analysis(name, setup):
    out, folder = os.path.join(WORK, "muscles", name), os.path.join(SHARED, "ref/tools", name,
                                                                    "MuscleAnalysis")
    start = time.time()
    run = subprocess.run([FBSIM, "run", os.path.join(SHARED, "corpus/pipelines", name, setup),
                          "--out", out], capture_output=True, text=True)
    check(run.returncode in (0, 4), f"{name}: {time.time() - start:.3f} s {run.stderr.strip()}")
    prefix = "subject01_walk1_MuscleAnalysis_"
    fibers = table(os.path.join(folder, prefix + "FiberLength.sto"))[2]
    lost = {(i, j) for i, r in enumerate(fibers) for j in range(1, len(r)) if r[j] == 0.1}
    for file in sorted(f for f in os.listdir(folder) if f.startswith(prefix)):
        header, columns, ours = table(os.path.join(out, file))
        header2, columns2, theirs = table(os.path.join(folder, file))
        good = header == header2 and columns == columns2 and len(ours) == len(theirs)
        cells = [(i, j) for i in range(len(theirs)) for j in range(len(columns2))
                 if (i, j) not in lost]
        size = max(1, max(abs(theirs[i][j]) for i, j in cells))
        worst = max(abs(ours[i][j] - theirs[i][j]) for i, j in cells) if good else float("nan")
        check(worst <= 1e-4 * size, f"{name} {file[len(prefix):-4]}: off by at most {worst:.2g}")
    check(len(lost) < 5, f"{name}: {len(lost)} muscles at a moment without OpenSim's equilibrium")


muscle_analysis("Gait2392_Simbody", "subject01_Setup_MuscleAnalysis.xml")
sys.exit(failures > 0)
