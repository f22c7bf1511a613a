#!/usr/bin/env python3
"""Inverse kinematics against OpenSim 4.5.2.

1. The set-ups of corpus/pipelines, unmodified, beside what OpenSim wrote for them: same columns and
   header, each coordinate within 0.05 degrees or 0.05 mm (root mean square over the trial), and in
   no frame a higher cost than OpenSim's motion has (both costs from marker positions that fbsim
   eval gives for both motions).
2. ScaleTool's set-ups: the scaled model within 1e-6 of OpenSim's. Placed markers are as far off as
   OpenSim's static pose stops short of the optimum: its cost is compared instead.
3. Models with markers, in the poses of ref/: from OpenSim's marker positions ours must get back to
   them.

Usage: tools_corpus_ik.py BUILD SHARED WORK. Ends with `N passed, M failed`; FB_VERBOSE=1 prints all.
"""
import glob
import math
import os
import subprocess
import sys
import time
import xml.etree.ElementTree as ET

BUILD, SHARED, WORK = sys.argv[1:4]
VERBOSE = os.environ.get("FB_VERBOSE")
FBSIM = os.path.join(BUILD, "fbsim")
PIPELINES = [
    ("Gait2354_Simbody", "subject01_Setup_IK.xml", "subject01_walk1_ik.mot"),
    ("Gait2392_Simbody", "subject01_Setup_IK.xml", "subject01_walk1_ik.mot"),
    ("Gait10dof18musc", "IK/walk_Setup_IK.xml", "subject01_walk_IK.mot"),
]
# frames whose random pose need not be found again: other minima, or poses outside the ranges
LEAST_FOUND = 0.6
passed = failures = 0


def check(good, text):
    global passed, failures
    passed += good
    failures += not good
    if not good or VERBOSE:
        print("tools_corpus_ik: " + ("" if good else "FAILED: ") + text)


def table(file):
    with open(file) as f:
        lines = f.read().splitlines()
    end = next(i for i, line in enumerate(lines) if line.strip() == "endheader")
    columns = lines[end + 1].split("\t")
    return lines[: end + 1], columns, [[float(x) for x in r.split()] for r in lines[end + 2:] if r]


def trc(file):
    with open(file) as f:
        lines = f.read().splitlines()
    values = dict(zip(lines[1].split("\t"), lines[2].split("\t")))
    scale = {"mm": 1e-3, "m": 1}[values["Units"].strip()]
    names = [n for n in lines[3].split("\t")[2:] if n.strip()]
    rows = {}
    for line in lines[4:]:
        cells = line.split("\t")
        if cells[0].strip().isdigit():
            x = [float(c) * scale if c.strip() else math.nan for c in cells[2:2 + 3 * len(names)]]
            rows[float(cells[1])] = x
    return names, rows


def run(*arguments):
    return subprocess.run([FBSIM, *arguments], capture_output=True, text=True)


def costs(model, motion, setup, folder, tag="InverseKinematicsTool"):
    """The weighted cost of each row of a motion, by OpenSim's rule."""
    tool = next(ET.parse(setup).getroot().iter(tag))
    base = os.path.dirname(setup)
    names, rows = trc(os.path.join(base, tool.findtext("marker_file").strip()))
    done = run("eval", model, "--states", motion, "--tables", "marker", "--out", folder)
    assert done.returncode == 0, done.stderr
    _, columns, places = table(os.path.join(folder, "marker.sto"))
    at = {c.split("/")[-1].split("|")[0]: i for i, c in enumerate(columns) if c.endswith("|x")}
    weights = {}
    for task in tool.iter("IKMarkerTask"):
        if task.findtext("apply").strip() == "true" and task.get("name") in at:
            if task.get("name") in names:
                weights[task.get("name")] = float(task.findtext("weight"))
    wishes = [
        (t.get("name"), float(t.findtext("weight")))
        for t in tool.iter("IKCoordinateTask")
        if t.findtext("apply").strip() == "true"
    ]
    _, q_columns, q = table(motion)
    result = []
    for row, place in zip(q, places):
        measured = rows[min(rows, key=lambda t: abs(t - row[0]))]
        cost = total = 0
        for name, w in weights.items():
            k = 3 * names.index(name)
            square = sum((place[at[name] + i] - measured[k + i]) ** 2 for i in range(3))
            if math.isfinite(square):
                cost += w * square
                total += w
        cost /= 2 * total
        for name, v in wishes:  # all of them to the default 0 here
            if name in q_columns:
                cost += v / 2 * math.radians(row[q_columns.index(name)]) ** 2
            else:
                k = next(i for i, c in enumerate(q_columns) if c.endswith(f"/{name}/value"))
                cost += v / 2 * row[k] ** 2
        result.append(cost)
    return result


def pipeline(name, setup, motion):
    setup = os.path.join(SHARED, "corpus/pipelines", name, setup)
    folder = os.path.join(WORK, "ik", name)
    os.makedirs(folder, exist_ok=True)
    begin = time.time()
    done = run("run", setup, "--out", folder)
    seconds = time.time() - begin
    check(done.returncode == 0, f"{name}: runs in {seconds:.3f} s {done.stderr.strip()}")
    ref = os.path.join(SHARED, "ref/tools", name, "IK")
    for file in sorted(os.listdir(ref)):
        ours, theirs = table(os.path.join(folder, file)), table(os.path.join(ref, file))
        check(ours[:2] == theirs[:2] and len(ours[2]) == len(theirs[2]), f"{name}: form of {file}")
    ours, theirs = table(os.path.join(folder, motion)), table(os.path.join(ref, motion))
    worst = 0, ""
    for j, column in enumerate(ours[1]):
        rms = math.sqrt(
            sum((a[j] - b[j]) ** 2 for a, b in zip(ours[2], theirs[2])) / len(ours[2]))
        scaled = rms / (5e-5 if column[-3:] in ("_tx", "_ty", "_tz") else 0.05)
        worst = max(worst, (scaled, column))
    check(worst[0] <= 1, f"{name}: worst column {worst[1]}, {worst[0]:.3f} of what is allowed")
    tool = ET.parse(setup).getroot()[0]
    model = os.path.join(os.path.dirname(setup), tool.findtext("model_file").strip())
    a = costs(model, os.path.join(folder, motion), setup, folder)
    b = costs(model, os.path.join(ref, motion), setup, folder)
    excess = max(x / y - 1 for x, y in zip(a, b))
    check(excess <= 1e-9, f"{name}: cost by OpenSim's at most {1 + excess:.9f} in {len(a)} frames")


def scale(name):
    setup = os.path.join(SHARED, "corpus/pipelines", name, "subject01_Setup_Scale.xml")
    folder, ref = os.path.join(WORK, "scale", name), os.path.join(SHARED, "ref/tools", name, "Scale")
    os.makedirs(folder, exist_ok=True)
    begin = time.time()
    done = run("run", setup, "--out", folder)
    check(done.returncode == 0, f"{name}: scales in {time.time() - begin:.3f} s")
    file = "subject01_scaledOnly.osim"
    done = subprocess.run(
        [os.path.join(BUILD, "fbinfo"), "--diff", os.path.join(folder, file), "--tolerance", "1e-6",
         os.path.join(ref, file)], capture_output=True, text=True)
    check(done.returncode == 0, f"{name}: scaled model, {done.stdout.splitlines()[0][:200]}")
    motion = "subject01_static_output.mot"
    ours, theirs = table(os.path.join(folder, motion)), table(os.path.join(ref, motion))
    check(ours[:2] == theirs[:2], f"{name}: form of {motion}")
    model = os.path.join(ref, file)
    a, b = (costs(model, os.path.join(f, motion), setup, folder, "MarkerPlacer")[0]
            for f in (folder, ref))
    check(a <= b * (1 + 1e-9), f"{name}: cost of the static pose by OpenSim's {a / b:.9f}")


def recover(folder):
    """From OpenSim's marker positions in random poses back to them."""
    name = os.path.basename(folder)
    _, columns, rows = table(os.path.join(folder, "marker.sto"))
    model = glob.glob(os.path.join(SHARED, "corpus/osim", name.split("_")[0] + "_*.osim"))
    markers = [c.split("/")[-1].split("|")[0] for c in columns if c.endswith("|x")]
    if not model or len(set(markers)) < 10:
        return
    file, motion = os.path.join(WORK, name + ".trc"), os.path.join(WORK, name + ".mot")
    errors = os.path.join(WORK, name + "_errors.sto")
    with open(file, "w") as f:
        f.write(f"PathFileType\t4\t(X/Y/Z)\t{name}\nDataRate\tCameraRate\tNumFrames\tNumMarkers\t"
                f"Units\n1\t1\t{len(rows)}\t{len(markers)}\tm\nFrame#\tTime\t")
        f.write("\t\t\t".join(markers) + "\n\n")
        for i, row in enumerate(rows):
            f.write(f"{i + 1}\t{i}\t" + "\t".join(repr(x) for x in row[1:]) + "\n")
    done = run("ik", model[0], "--markers", file, "-o", motion, "--marker-errors", errors)
    if done.returncode not in (0, 5):
        check(False, f"{name}: {done.stderr}")
        return
    rms = [row[2] for row in table(errors)[2]]
    found = sum(x < 1e-5 for x in rms) / len(rms)
    check(found >= LEAST_FOUND, f"{name}: {100 * found:.0f} % of poses found again, {len(markers)} "
          f"markers, worst RMS {max(rms):.2g} m")


os.makedirs(WORK, exist_ok=True)
for p in PIPELINES:
    pipeline(*p)
for p in ("Gait2354_Simbody", "Gait2392_Simbody"):
    scale(p)
for ref in sorted(glob.glob(os.path.join(SHARED, "ref/[0-9]*"))):
    if os.path.exists(os.path.join(ref, "marker.sto")):
        recover(ref)
print(f"{passed} passed, {failures} failed")
sys.exit(failures > 0)
