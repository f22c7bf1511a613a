#!/usr/bin/python3
"""Makes a new skeleton whose truth is known: the standard's bones moved by a map of space.

The same map moves the vertices of the bones, the landmarks, the joints' centres and the muscles'
attachments, so the truth is exact; the folder can be given to `retarget` as a scan. For each bone,
in the frame of its body:

  scale      along the bone (y) and across it (x and z)
  neck       the femur's head and neck turn in the frontal plane; rigid beyond the neck's first half
  torsion    femur: the part above the shaft turns forward about it, the condyles stay, in between the
             turn is linear along the shaft. Tibia and fibula: the ankle turns outwards, linear
             between tuberosity and ankle
  sex        a preset of scales, and a pelvis that is wider below
  noise      a smooth displacement, a sum of waves of 70 to 160 mm

Then the bones are put into the pose that the joint angles give and the whole is moved. Units: mm,
degrees."""
import argparse
import csv
import json
import os
import random
import sys
from math import cos, pi, sin

import bones
import joints
import legs
import meshfile
from implicit import add, along, cross, dot, length, mesh, sub, unit
from joints import DEGREE, rotate, turn

SEXES = {  # per body: along, across
    "male": {}, "female": {"pelvis": (0.95, 1.0), "femur": (0.93, 0.89), "tibia": (0.93, 0.90),
                           "patella": (0.90, 0.90), "talus": (0.90, 0.90), "calcn": (0.90, 0.90),
                           "toes": (0.90, 0.90)}}
# the femur's shaft: from above the condyles to below the lesser trochanter; the tibia's
FEMUR_SHAFT = ((4.0, -365.0, 2.0), (-5.0, -85.0, 35.0))
TIBIA_SHAFT = (-100.0, -385.0)
NECK = (-12.0, -34.0, 36.0)


def ramp(x):
    """0 below 0, 1 above 1, smooth between."""
    x = min(max(x, 0.0), 1.0)
    return x * x * (3 - 2 * x)


class Waves:
    """A displacement of this size at most, and smooth; the same for the same words."""

    def __init__(self, size, words):
        pick = random.Random(words)
        self.waves = []
        for _ in range(6):
            way = unit([pick.gauss(0, 1) for _ in range(3)])
            push = unit([pick.gauss(0, 1) for _ in range(3)])
            self.waves.append((tuple(w * 2 * pi / pick.uniform(70, 160) for w in way),
                               tuple(w * size / 6 for w in push), pick.uniform(0, 2 * pi)))

    def __call__(self, p):
        moved = p
        for way, push, phase in self.waves:
            moved = along(moved, sin(dot(way, p) + phase), push)
        return moved


class Body:
    """The map of one side: f(body, place) for the right's frame."""

    def __init__(self, o, side):
        self.o, self.waves = o, {}
        self.scales = {}
        for body in legs.BODIES:
            high, wide = SEXES[o.sex].get(body, (1.0, 1.0))
            own = o.size.get(body, (1.0, 1.0))
            self.scales[body] = (high * o.length * own[0], wide * o.width * own[1])
            words = "%d %s %s" % (o.seed, body, "" if body in legs.MIDDLE else side)
            self.waves[body] = Waves(o.noise, words) if o.noise else None

    def shape(self, body, p):
        o = self.o
        if body == "femur" and o.neck_shaft:
            way = unit(sub((0.0, 0.0, 0.0), NECK))
            rows = turn((1, 0, 0), o.neck_shaft * DEGREE * ramp((dot(sub(p, NECK), way) - 2) / 22))
            p = add(NECK, rotate(rows, sub(p, NECK)))
        if body == "femur" and o.femoral_torsion:
            a, b = FEMUR_SHAFT
            shaft = sub(b, a)
            share = min(max(dot(sub(p, a), shaft) / dot(shaft, shaft), 0.0), 1.0)
            p = add(a, rotate(turn(unit(shaft), -o.femoral_torsion * DEGREE * share), sub(p, a)))
        if body == "tibia" and o.tibial_torsion:
            share = (p[1] - TIBIA_SHAFT[0]) / (TIBIA_SHAFT[1] - TIBIA_SHAFT[0])
            p = rotate(turn((0, 1, 0), -o.tibial_torsion * DEGREE * min(max(share, 0.0), 1.0)), p)
        if body == "pelvis" and o.sex == "female":
            p = (p[0], p[1], p[2] * (1.03 + 0.10 * ramp((-30 - p[1]) / 80)))
        high, wide = self.scales[body]
        return (wide * p[0], high * p[1], wide * p[2])

    def __call__(self, body, p):
        """The pelvis is one bone for both sides; the lumbar moves with it."""
        body = "pelvis" if body == "lumbar" else body
        p = self.shape(body, p)
        return self.waves[body](p) if self.waves[body] else p


class Side:
    """Everything of one side in the scan's frame, mm."""

    def __init__(self, o, suffix, sign):
        self.sign, self.map = sign, Body(o, suffix)
        angles = {}
        for name, value in o.angle.items():
            if name.endswith(suffix):
                angles[name[:-2]] = value * DEGREE
            elif name in joints.RANGES:
                angles[name] = value * DEGREE
        self.pose = joints.Pose(self.mirrored_map, angles, -o.tibial_torsion * DEGREE)
        x, y, z = (v * DEGREE for v in o.rotate)
        self.rows = joints.times(joints.times(turn((1, 0, 0), x), turn((0, 1, 0), y)), turn((0, 0, 1), z))
        self.shift = o.translate

    def mirrored_map(self, body, p):
        """The pelvis' map is told of its own left and right; all else is the right's."""
        if body in legs.MIDDLE and self.sign < 0:
            return legs.flip(self.map(body, legs.flip(p, -1)), -1)
        return self.map(body, p)

    def __call__(self, body, p):
        """Of a place in the frame of the right body (or the pelvis mirrored), mm."""
        return add(rotate(self.rows, legs.flip(self.pose(body, tuple(p)), self.sign)), self.shift)


def write_table(path, header, rows):
    with open(path, "w", encoding="ascii", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def options(arguments):
    def pair(text):
        name, _, value = text.partition("=")
        return name, [float(v) for v in value.split(",")]
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    add_ = parser.add_argument
    add_("-o", "--output", required=True, metavar="FOLDER")
    add_("--unit", choices=("mm", "m"), default="mm", help="of all files (default: mm)")
    add_("--format", choices=sorted(meshfile.FORMATS), default="stl", help="of the meshes")
    add_("--cell", type=float, default=4.0, metavar="MM", help="width of the meshes' grid (default: 4)")
    add_("--sex", choices=sorted(SEXES), default="male")
    add_("--length", type=float, default=1.0, metavar="K", help="scale along the bones")
    add_("--width", type=float, default=1.0, metavar="K", help="scale across the bones")
    add_("--size", action="append", default=[], type=pair, metavar="BODY=LENGTH[,WIDTH]",
         help="scales of one kind of body, besides: " + ", ".join(legs.BODIES))
    add_("--femoral-torsion", type=float, default=0.0, metavar="DEG", help="more of it: heads forward")
    add_("--tibial-torsion", type=float, default=0.0, metavar="DEG", help="more of it: feet outwards")
    add_("--neck-shaft", type=float, default=0.0, metavar="DEG", help="more of that angle: valgus")
    add_("--noise", type=float, default=0.0, metavar="MM", help="largest displacement, up to 6")
    add_("--seed", type=int, default=1)
    add_("--angle", action="append", default=[], type=pair, metavar="COORDINATE=DEG",
         help="at which the scan lies: knee_angle=-20 of both sides, knee_angle_r=-20 of one")
    add_("--rotate", type=float, nargs=3, default=(0, 0, 0), metavar=("X", "Y", "Z"),
         help="turns the whole: about x, then the new y, then z; degrees")
    add_("--translate", type=float, nargs=3, default=(0, 0, 0), metavar=("X", "Y", "Z"), help="mm, after")
    add_("--lumbar", action="store_true", help="with the fifth lumbar vertebra, where the psoas begins")
    add_("--side", choices=("r", "l", "both"), default="both")
    o = parser.parse_args(arguments)
    o.size = {n: (v[0], v[-1]) for n, v in o.size}
    o.angle = {n: v[0] for n, v in o.angle}
    for name in o.size:
        if name not in legs.BODIES:
            parser.error("--size: no body %s" % name)
    known = [n + s for n in joints.RANGES for s in ("", "_r", "_l")]
    for name in o.angle:
        if name not in known:
            parser.error("--angle: no coordinate %s" % name)
    if o.cell < 1 or o.cell > 8:
        parser.error("--cell is from 1 to 8 mm")
    if not 0 <= o.noise <= 6:
        parser.error("--noise is from 0 to 6 mm")
    if min([o.length, o.width] + [k for v in o.size.values() for k in v]) <= 0:
        parser.error("scales are above 0")
    return o


def main(arguments):
    o = options(arguments)
    os.makedirs(o.output, exist_ok=True)
    k, digits = (1.0, 3) if o.unit == "mm" else (0.001, 6)
    sides = {s: Side(o, s, sign) for s, sign in legs.SIDES if o.side in ("both", s[1])}
    anchor = sides.get("_r") or sides["_l"]  # whose pelvis it is; both give the same

    def of(body, p):
        """A place of a body by its name in the model, in the scan's frame and unit."""
        side = anchor if body in legs.MIDDLE else sides[body[-2:]]
        kind = body if body in legs.MIDDLE else body[:-2]
        q = side(kind, legs.flip(p, side.sign))
        return [meshfile.text(k * v, digits) for v in q]

    def there(body):
        return body in legs.MIDDLE or body[-2:] in sides
    listed = []
    for name, body, make, sided, euler in bones.BONES:
        if name == "lumbar" and not o.lumbar:
            continue
        cell = min(o.cell, legs.CELLS.get(name, o.cell))
        vertices, faces = mesh(make(), cell, euler)
        for suffix, sign in legs.SIDES if sided else (("", 1),):
            if suffix and suffix not in sides:
                continue
            of_body = legs.body_name(body, suffix)
            turned = faces if sign == 1 else [tuple(reversed(f)) for f in faces]
            file = "%s%s.%s" % (name, suffix, o.format)
            places = [[float(v) for v in of(of_body, legs.flip(p, sign))] for p in vertices]
            meshfile.write(os.path.join(o.output, file), name + suffix, places, turned, digits)
            listed.append({"file": file, "body": of_body})
    with open(os.path.join(o.output, "meshes.json"), "w", encoding="ascii") as file:
        json.dump({"unit": o.unit, "meshes": listed}, file, indent=1)
        file.write("\n")
    parts = legs.shapes()
    marks = [m for m in legs.both_sides(legs.landmarks(parts)) if there(m[1])]
    write_table(os.path.join(o.output, "landmarks.csv"), ("name", "body", "x", "y", "z"),
                [[n, b] + of(b, p) for n, b, p in marks])
    rows = []
    for suffix, side in sides.items():
        for name, parent, center, axis in joints.JOINTS:
            body = legs.body_name(parent, suffix)
            at = side(parent, center)
            way = ["", "", ""]
            if axis:  # the image of a short piece of the axis
                way = [meshfile.text(side.sign * v, 6) for v in unit(sub(
                    side(parent, along(center, 5, axis)), side(parent, along(center, -5, axis))))]
            rows.append([name + suffix, body] + [meshfile.text(k * v, digits) for v in at] + way)
    write_table(os.path.join(o.output, "joints.csv"),
                ("joint", "body", "x", "y", "z", "axis_x", "axis_y", "axis_z"), rows)
    rows = []
    for row in legs.table("attachments.csv"):
        if there(row["body"]) and row["element"][-2:] in sides:
            rows.append([row[c] for c in ("muscle", "element", "kind", "order", "body")]
                        + of(row["body"], [1000 * float(row[c]) for c in "xyz"]))
    write_table(os.path.join(o.output, "attachments.csv"),
                ("muscle", "element", "kind", "order", "body", "x", "y", "z"), rows)


if __name__ == "__main__":
    main(sys.argv[1:])
