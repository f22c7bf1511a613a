#!/usr/bin/env python3
"""Inverse dynamics against OpenSim 4.5.2: the set-ups of corpus/pipelines, unmodified, beside what
OpenSim wrote for them. Same columns, header and times; every number within 1e-3 N m or N plus 1e-5
of its size. Then fbsim id with the same files, exact: as near, wherever no padding was asked for.

Usage: tools_corpus_id.py BUILD SHARED WORK
"""
import os
import subprocess
import sys
import time
import xml.etree.ElementTree as ET

BUILD, SHARED, WORK = sys.argv[1:4]
FBSIM = os.path.join(BUILD, "fbsim")
PIPELINES = [
    ("Gait2354_Simbody", "subject01_Setup_InverseDynamics.xml", "inverse_dynamics.sto"),
    ("Gait2392_Simbody", "subject01_Setup_InverseDynamics.xml", "InverseDynamicsOutput.sto"),
    ("Gait10dof18musc", "ID/walk_Setup_ID.xml", "subject01_walk_ID.sto"),
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


def worst(ours, theirs):
    """The largest difference as a part of what is allowed, its column and time."""
    return max((abs(x - y) / (1e-3 + 1e-5 * abs(y)), column, row[0])
               for row, other in zip(ours[2], theirs[2])
               for x, y, column in zip(row, other, ours[1]))


def pipeline(name, setup, file):
    setup = os.path.join(SHARED, "corpus/pipelines", name, setup)
    folder = os.path.join(WORK, "id", name)
    os.makedirs(folder, exist_ok=True)
    begin = time.time()
    done = subprocess.run([FBSIM, "run", setup, "--out", folder], capture_output=True, text=True)
    seconds = time.time() - begin
    check(done.returncode == 0, f"{name}: runs in {seconds:.3f} s {done.stderr.strip()}")
    ours = table(os.path.join(folder, file))
    theirs = table(os.path.join(SHARED, "ref/tools", name, "ID", file))
    check(ours[:2] == theirs[:2] and len(ours[2]) == len(theirs[2]), f"{name}: form of {file}")
    part, column, at = worst(ours, theirs)
    check(part <= 1, f"{name}: worst '{column}' at {at:g} s, {part:.2g} of what is allowed")

    tool = ET.parse(setup).getroot()[0]

    def named(tag):
        return os.path.join(os.path.dirname(setup), tool.findtext(tag).strip())

    out = os.path.join(folder, "direct.sto")
    done = subprocess.run(
        [FBSIM, "id", named("model_file"), "--coordinates", named("coordinates_file"),
         "--external-loads", named("external_loads_file"), "--filter",
         tool.findtext("lowpass_cutoff_frequency_for_coordinates").strip(), "--time-range",
         ",".join(tool.findtext("time_range").split()), "-o", out],
        capture_output=True, text=True)
    check(done.returncode == 0, f"{name}: fbsim id {done.stderr.strip()}")
    direct = table(out)
    times = {round(row[0], 6): row for row in theirs[2]}
    pairs = [(row, times[round(row[0], 6)]) for row in direct[2] if round(row[0], 6) in times]
    check(len(pairs) > 0.9 * len(direct[2]), f"{name}: {len(pairs)} rows in common")
    part, column, at = worst((0, direct[1], [a for a, _ in pairs]), (0, 0, [b for _, b in pairs]))
    check(part <= 1, f"{name}: fbsim id, worst '{column}' at {at:g} s, {part:.2g} of it")


os.makedirs(WORK, exist_ok=True)
for p in PIPELINES:
    pipeline(*p)
sys.exit(failures > 0)
