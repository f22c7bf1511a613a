#!/usr/bin/python3
"""Checks of the generator: check.py. Prints what is wrong, then `N passed, M failed`.

What legs.py writes is what is shipped, byte for byte; skeleton.py gives the same files twice; its
surfaces are closed and turn outwards; attachments lie on them; and its truth agrees with what its
options say."""
import csv
import filecmp
import json
import math
import os
import subprocess
import sys
import tempfile

import implicit
import legs

HERE = legs.HERE
counts = [0, 0]


def check(ok, what):
    counts[not ok] += 1
    if not ok:
        print("check.py: " + what)


def run(script, *arguments):
    subprocess.run([sys.executable, os.path.join(HERE, script)] + list(arguments), check=True)


def read_obj(path):
    vertices, faces = [], []
    with open(path, encoding="ascii") as file:
        for line in file:
            words = line.split()
            if words[0] == "v":
                vertices.append(tuple(map(float, words[1:])))
            elif words[0] == "f":
                faces.append(tuple(int(w) - 1 for w in words[1:]))
    return vertices, faces


def rows(path):
    with open(path, encoding="ascii", newline="") as file:
        return list(csv.DictReader(file))


def place(row):
    return tuple(float(row[k]) for k in "xyz")


def triangle_distance(p, a, b, c):
    return implicit.Scale(a, b, c, (0.0, 0.0, 0.0)).value(p)


class Surface:
    """The meshes of one body, for distances of points near them."""

    def __init__(self):
        self.triangles = []

    def add(self, vertices, faces):
        for f in faces:
            for i in range(1, len(f) - 1):
                t = [vertices[k] for k in (f[0], f[i], f[i + 1])]
                if implicit.length(implicit.cross(implicit.sub(t[1], t[0]), implicit.sub(t[2], t[0]))) > 1e-9:
                    self.triangles.append(t)

    def distance(self, p):
        near = [t for t in self.triangles if all(abs(p[k] - t[0][k]) < 15 for k in range(3))]
        return min([triangle_distance(p, *t) for t in near] or [99.0])


def check_scan(folder):
    """Closed surfaces, outwards, with the attachments on them to 1 mm; returns the meshes."""
    with open(os.path.join(folder, "meshes.json"), encoding="ascii") as file:
        listed = json.load(file)
    bodies, found = {}, {}
    for item in listed["meshes"]:
        vertices, faces = read_obj(os.path.join(folder, item["file"]))
        check(implicit.flaws(faces) == 0, item["file"] + " is not closed")
        check(implicit.volume(vertices, faces) > 1000, item["file"] + " is inside out")
        bodies.setdefault(item["body"], Surface()).add(vertices, faces)
        found[item["file"]] = vertices
    for row in rows(os.path.join(folder, "attachments.csv")):
        if row["kind"] != "via":
            far = bodies[row["body"]].distance(place(row))
            check(far < 1, "%s: its %s is %.2f mm from the bone" % (row["element"], row["kind"], far))
    return found


def main():
    with tempfile.TemporaryDirectory() as work:
        run("legs.py", work)
        for name in ["legs.osim", "features.json", "attachments.csv"] + [
                os.path.join("Geometry", f) for f in sorted(os.listdir(os.path.join(HERE, "Geometry")))]:
            check(filecmp.cmp(os.path.join(HERE, name), os.path.join(work, name), False),
                  name + " is not what legs.py writes")
        changed = ("--side", "r", "--lumbar", "--format", "obj", "--cell", "5", "--femoral-torsion", "40", "--noise", "2", "--seed", "7",
                   "--angle", "knee_angle=-40", "--rotate", "20", "-30", "70", "--translate", "5", "6", "7")
        first, second, plain, twist = (os.path.join(work, n) for n in ("1", "2", "plain", "twist"))
        for folder in (first, second):
            run("skeleton.py", "-o", folder, *changed)
        names = sorted(os.listdir(first))
        check(filecmp.cmpfiles(first, second, names, False) == (names, [], []), "two runs differ")
        check_scan(first)

        # with nothing changed the landmarks are those of features.json, seen from the pelvis
        run("skeleton.py", "-o", plain, "--lumbar", "--side", "r", "--format", "obj", "--cell", "5")
        check_scan(plain)
        with open(os.path.join(HERE, "features.json"), encoding="ascii") as file:
            features = {(f["name"], f["body"]): f["location"] for f in json.load(file)["features"]}
        hip = [place(r) for r in rows(os.path.join(plain, "joints.csv")) if r["joint"] == "hip_r"][0]
        for row in rows(os.path.join(plain, "landmarks.csv")):
            own = features[row["name"], row["body"]]
            shift = hip if row["body"] == "femur_r" else (0, 0, 0)
            if row["body"] in ("pelvis", "femur_r"):
                far = max(abs(1000 * a + s - b) for a, s, b in zip(own, shift, place(row)))
                check(far < 0.02, "%s of %s is off by %g mm" % (row["name"], row["body"], far))

        # torsion alone: the line through both condyles turns by 40 degrees against the neck's
        run("skeleton.py", "-o", twist, "--side", "r", "--format", "obj", "--cell", "5",
            "--femoral-torsion", "40")

        def version(folder):
            at = {r["name"]: place(r) for r in rows(os.path.join(folder, "landmarks.csv"))
                  if r["body"] == "femur_r"}
            up = implicit.unit(implicit.sub(at["shaft_proximal"], at["shaft_distal"]))

            def flat(a, b):
                d = implicit.sub(at[b], at[a])
                return implicit.along(d, -implicit.dot(d, up), up)
            neck = flat("greater_trochanter", "hip_center")
            knee = flat("lateral_condyle_posterior", "medial_condyle_posterior")
            return math.degrees(math.atan2(implicit.dot(implicit.cross(knee, neck), up),
                                           implicit.dot(knee, neck)))
        turned = version(plain) - version(twist)
        check(abs(abs(turned) - 40) < 1.5, "a torsion of 40 degrees turns by %.2f" % turned)
        radii = [implicit.length(implicit.sub(v, hip)) for v in read_obj(os.path.join(twist, "femur_r.obj"))[0]]
        check(sum(abs(r - 24) < 0.01 for r in radii) > 100, "the head is no sphere about the hip's centre")
    print("%d passed, %d failed" % tuple(counts))
    return counts[1] > 0


if __name__ == "__main__":
    sys.exit(main())
