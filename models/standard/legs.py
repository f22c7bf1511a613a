#!/usr/bin/python3
"""Writes legs.osim, Geometry/*.obj, attachments.csv and features.json beside itself: legs.py [FOLDER]

Muscles, points and wrapping cylinders are those of muscles.csv, points.csv and wraps.csv, for the
right side; the left is the mirror image. Origins and insertions are moved onto the bones of
bones.py from where they were published, via points that would lie in a bone 2 mm out of it."""
import csv
import json
import os
import sys

import bones
import joints
import meshfile
from implicit import add, mesh, onto

CELL = 5.7  # mm: the grid's
CELLS = {"toes": 2.8, "patella": 3.6, "talus": 3.8, "foot": 3.6, "fibula": 4.0, "lumbar": 4.5}
HERE = os.path.dirname(os.path.abspath(__file__))
BODIES = {  # mass, its centre, moments of inertia (Delp and others 1990; patella and lumbar: estimates)
    "pelvis": (11.577, (-0.0707, 0, 0), (0.1028, 0.0871, 0.0579)),
    "lumbar": (0.2, (-0.1, 0.095, 0), (0.0001, 0.0001, 0.0001)),
    "femur": (9.2114, (0, -0.17, 0), (0.1339, 0.0351, 0.1412)),
    "tibia": (3.7075, (0, -0.1867, 0), (0.0504, 0.0051, 0.0511)),
    "patella": (0.09, (0, 0, 0), (0.00002, 0.00002, 0.00002)),
    "talus": (0.1, (0, 0, 0), (0.001, 0.001, 0.001)),
    "calcn": (1.25, (0.1, 0.03, 0), (0.0014, 0.0039, 0.0041)),
    "toes": (0.2166, (0.0346, 0.006, -0.0175), (0.0001, 0.0002, 0.0001))}
SIDES = (("_r", 1), ("_l", -1))
MIDDLE = ("pelvis", "lumbar")  # bodies without a side


def table(name):
    with open(os.path.join(HERE, name), encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def shapes():
    """body -> shapes, right side, mm."""
    found = {}
    for name, body, make, sided, euler in bones.BONES:
        found.setdefault(body, []).append(make())
    return found


def nearest(parts, p):
    return min(parts, key=lambda s: abs(s.value(p)))


def surface_point(parts, p):
    return onto(nearest(parts, p), p)


def landmarks(parts):
    """(name, body, place in mm) of the right side and the middle."""
    for name, body, p, on in bones.LANDMARKS:
        p = tuple(map(float, p))
        yield name, body, surface_point(parts[body], p) if on else p


def placed_points(parts):
    """The rows of points.csv with their places (mm) on or out of the bones."""
    for row in table("points.csv"):
        p = tuple(1000 * float(row[k]) + float(row["nudge_" + k]) for k in "xyz")
        if row["kind"] == "via":
            near = min(parts[row["body"]], key=lambda s: s.value(p))
            if near.value(p) < 2:
                p = onto(near, p, level=2.0)
        else:
            p = surface_point(parts[row["body"]], p)
        yield dict(row, place=p)


def flip(p, sign):
    return (p[0], p[1], sign * p[2])


def numbers(values, digits=6):
    return " ".join(meshfile.text(v, digits) for v in values)


def metres(p):
    return numbers([v / 1000 for v in p], 5)


class Xml:
    """Text of an indented document."""

    def __init__(self):
        self.lines, self.depth = ['<?xml version="1.0" encoding="UTF-8"?>'], 0

    def leaf(self, tag, value):
        self.lines.append("%s<%s>%s</%s>" % ("  " * self.depth, tag, value, tag) if value != "" else
                          "%s<%s />" % ("  " * self.depth, tag))

    def open(self, tag, name=None, **more):
        attributes = {"name": name, **more} if name else more
        self.lines.append("  " * self.depth + "<" + tag + "".join(
            ' %s="%s"' % item for item in attributes.items()) + ">")
        self.depth += 1
        return Closing(self, tag)


class Closing:
    def __init__(self, xml, tag):
        self.xml, self.tag = xml, tag

    def __enter__(self):
        return self.xml

    def __exit__(self, *error):
        self.xml.depth -= 1
        self.xml.lines.append("  " * self.xml.depth + "</" + self.tag + ">")


def object_set(xml, tag, name):
    """Opens a set; its objects go inside."""
    outer, inner = xml.open(tag, name), xml.open("objects")

    class Both:
        def __enter__(self):
            return xml

        def __exit__(self, *error):
            inner.__exit__()
            xml.leaf("groups", "")
            outer.__exit__()
    return Both()


def write_body(xml, name, kind, sign, meshes, wraps):
    mass, center, inertia = BODIES[kind]
    with xml.open("Body", name):
        with xml.open("attached_geometry"):
            for file in meshes:
                with xml.open("Mesh", file.split(".")[0]):
                    with xml.open("Appearance"):
                        xml.leaf("color", "0.93 0.9 0.8")
                    xml.leaf("mesh_file", file)
        if wraps:
            with object_set(xml, "WrapObjectSet", "wrapobjectset"):
                for wrap in wraps:
                    for suffix, s in SIDES if kind == "pelvis" else ((name[-2:], sign),):
                        with xml.open("WrapCylinder", wrap["name"] + suffix):
                            xml.leaf("xyz_body_rotation", "0 0 " + wrap["turn_z"])
                            xml.leaf("translation", numbers(flip([float(wrap[k]) for k in "xyz"], s)))
                            xml.leaf("quadrant", wrap["quadrant"])
                            with xml.open("Appearance"):
                                xml.leaf("opacity", "0.5")
                                xml.leaf("color", "0 1 1")
                            xml.leaf("radius", numbers([float(wrap["radius"])]))
                            xml.leaf("length", numbers([float(wrap["length"])]))
        xml.leaf("mass", numbers([mass]))
        xml.leaf("mass_center", numbers(flip(center, sign)))
        xml.leaf("inertia", numbers(inertia) + " 0 0 0")


def write_joint(xml, name, parent, child, at, coordinates, axes):
    """axes: rotation1..3 and translation1..3 as (coordinate or None, axis, function), where the
    function is None (the coordinate itself), a number, or a pair of lists."""
    with xml.open("CustomJoint", name):
        xml.leaf("socket_parent_frame", parent + "_offset")
        xml.leaf("socket_child_frame", child + "_offset")
        with xml.open("coordinates"):
            for c, (low, high), default in coordinates:
                with xml.open("Coordinate", c):
                    xml.leaf("default_value", numbers([default]))
                    xml.leaf("range", numbers([low, high], 8))
        with xml.open("frames"):
            for frame, place in ((parent, metres(at)), (child, "0 0 0")):
                with xml.open("PhysicalOffsetFrame", frame + "_offset"):
                    xml.leaf("socket_parent", "/" + frame if frame == "ground" else "/bodyset/" + frame)
                    xml.leaf("translation", place)
                    xml.leaf("orientation", "0 0 0")
        with xml.open("SpatialTransform"):
            for i, (coordinate, axis, function) in enumerate(axes):
                with xml.open("TransformAxis", "%s%d" % ("rotation" if i < 3 else "translation", i % 3 + 1)):
                    xml.leaf("coordinates", coordinate or "")
                    xml.leaf("axis", numbers(axis, 8))
                    if isinstance(function, tuple):
                        with xml.open("SimmSpline", "function"):
                            xml.leaf("x", numbers(function[0], 8))
                            xml.leaf("y", numbers(function[1], 8))
                    elif coordinate:
                        with xml.open("LinearFunction", "function"):
                            xml.leaf("coefficients", "1 0")
                    else:
                        with xml.open("Constant", "function"):
                            xml.leaf("value", numbers([function or 0]))


STILL = [(None, (1, 0, 0), 0), (None, (0, 1, 0), 0), (None, (0, 0, 1), 0)]


def about(coordinate, axis):
    """One turn about an axis: two more that are square to it stand still."""
    flat = (axis[2], 0.0, -axis[0])
    return [(coordinate, axis, None), (None, (0, 1, 0), 0), (None, flat, 0)] + STILL


def write_joints(xml):
    half = 1.57079633
    pelvis = [("pelvis_tilt", (-half, half), 0), ("pelvis_list", (-half, half), 0),
              ("pelvis_rotation", (-3.14159265, 3.14159265), 0), ("pelvis_tx", (-5, 5), 0),
              ("pelvis_ty", (-1, 2), 0.95), ("pelvis_tz", (-3, 3), 0)]
    axes = ((0, 0, 1), (1, 0, 0), (0, 1, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1))
    write_joint(xml, "ground_pelvis", "ground", "pelvis", (0, 0, 0), pelvis,
                [(c[0], a, None) for c, a in zip(pelvis, axes)])
    with xml.open("WeldJoint", "lumbosacral"):
        xml.leaf("socket_parent_frame", "/bodyset/pelvis")
        xml.leaf("socket_child_frame", "/bodyset/lumbar")
    angles = [joints.DEGREE * d for d in range(-120, 11, 10)]
    knee = [joints.tibia_origin(a) for a in angles]
    cap = [joints.patella(a) for a in angles]
    for suffix, s in SIDES:
        def own(*names):
            return [(n + suffix, tuple(d * joints.DEGREE for d in joints.RANGES[n]), 0) for n in names]

        def axis(a):
            return (s * a[0], s * a[1], a[2])
        coordinates = own("hip_flexion", "hip_adduction", "hip_rotation")
        write_joint(xml, "hip" + suffix, "pelvis", "femur" + suffix, flip(bones.HIP, s), coordinates,
                    [(c[0], a, None) for c, a in zip(coordinates, ((0, 0, 1), (s, 0, 0), (0, s, 0)))]
                    + STILL)
        q = "knee_angle" + suffix
        write_joint(xml, "knee" + suffix, "femur" + suffix, "tibia" + suffix, (0, 0, 0), own("knee_angle"),
                    about(q, (0, 0, 1))[:3] + [
                        (q, (1, 0, 0), (angles, [p[0] / 1000 for p in knee])),
                        (q, (0, 1, 0), (angles, [p[1] / 1000 for p in knee])), STILL[2]])
        q += "_beta"
        write_joint(xml, "patellofemoral" + suffix, "femur" + suffix, "patella" + suffix, (0, 0, 0),
                    [(q, (-half * 4 / 3, joints.DEGREE * 10), 0)],
                    [(q, (0, 0, 1), (angles, [c[1] for c in cap]))] + about(None, (0, 0, 1))[1:3] + [
                        (q, (1, 0, 0), (angles, [c[0][0] / 1000 for c in cap])),
                        (q, (0, 1, 0), (angles, [c[0][1] / 1000 for c in cap])), STILL[2]])
        for name, parent, child, at, along_, c in (
                ("ankle", "tibia", "talus", bones.ANKLE, bones.ANKLE_AXIS, "ankle_angle"),
                ("subtalar", "talus", "calcn", bones.SUBTALAR, bones.SUBTALAR_AXIS, "subtalar_angle"),
                ("mtp", "calcn", "toes", bones.MTP, bones.MTP_AXIS, "mtp_angle")):
            write_joint(xml, name + suffix, parent + suffix, child + suffix, flip(at, s), own(c),
                        about(c + suffix, axis(along_)))


def write_muscle(xml, row, points, suffix, sign):
    name = row["name"] + suffix
    ranges = {wrap["name"]: wrap["range"] for wrap in table("wraps.csv")}
    with xml.open("Millard2012EquilibriumMuscle", name):
        with xml.open("GeometryPath", "path"):
            with object_set(xml, "PathPointSet", "pathpointset"):
                for p in points:
                    with xml.open("PathPoint", "%s-P%s" % (name, p["order"])):
                        xml.leaf("socket_parent_frame", "/bodyset/" + body_name(p["body"], suffix))
                        xml.leaf("location", metres(flip(p["place"], sign)))
            if row["wraps"]:
                with object_set(xml, "PathWrapSet", "pathwrapset"):
                    for wrap in row["wraps"].split():
                        with xml.open("PathWrap", wrap + "_wrap"):
                            xml.leaf("wrap_object", wrap + suffix)
                            xml.leaf("method", "hybrid")
                            if ranges[wrap]:
                                xml.leaf("range", ranges[wrap])
            with xml.open("Appearance"):
                xml.leaf("color", "0.75 0.1 0.1")
        fiber, tendon = float(row["optimal_fiber_length"]), float(row["tendon_slack_length"])
        xml.leaf("max_isometric_force", row["max_isometric_force"])
        xml.leaf("optimal_fiber_length", row["optimal_fiber_length"])
        xml.leaf("tendon_slack_length", row["tendon_slack_length"])
        xml.leaf("pennation_angle_at_optimal", row["pennation"])
        xml.leaf("max_contraction_velocity", "10")
        if tendon < fiber:  # a tendon so short would be too stiff to integrate
            xml.leaf("ignore_tendon_compliance", "true")
        xml.leaf("default_activation", "0.05")
        xml.leaf("default_fiber_length", row["optimal_fiber_length"])


def body_name(body, suffix):
    return body if body in MIDDLE else body + suffix


def write_model(path, points, marks, files):
    xml = Xml()
    xml.lines.append("<!-- fb_legs: a pelvis and both legs with 43 lines of muscle a side, made by legs.py. "
                     "Axes: x forward,\n     y up, z to the right. README.md tells where each figure comes "
                     "from. -->")
    with xml.open("OpenSimDocument", Version="40500"), xml.open("Model", "fb_legs"):
        xml.leaf("credits", "The fbtools authors. Joints, muscle points and parameters after Delp and others "
                            "(1990); the knee's motion after Yamaguchi and Zajac (1989). Bones and "
                            "wrapping surfaces: ours.")
        xml.leaf("publications", "Delp SL, Loan JP, Hoy MG, Zajac FE, Topp EL, Rosen JM (1990) An interactive "
                 "graphics-based model of the lower extremity to study orthopaedic surgical procedures. "
                 "IEEE Trans Biomed Eng 37:757-767. Yamaguchi GT, Zajac FE (1989) A planar model of the "
                 "knee joint to characterize the knee extensor mechanism. J Biomech 22:1-10.")
        xml.leaf("length_units", "meters")
        xml.leaf("force_units", "N")
        xml.leaf("gravity", "0 -9.80665 0")
        wraps = table("wraps.csv")
        with object_set(xml, "BodySet", "bodyset"):
            for suffix, s in SIDES:
                for kind in BODIES:
                    if kind not in MIDDLE or s == 1:
                        name = body_name(kind, suffix)
                        write_body(xml, name, kind, s, files[name], [w for w in wraps if w["body"] == kind])
        with object_set(xml, "JointSet", "jointset"):
            write_joints(xml)
        with object_set(xml, "ForceSet", "forceset"):
            for suffix, s in SIDES:
                for row in table("muscles.csv"):
                    write_muscle(xml, row, [p for p in points if p["name"] == row["name"]], suffix, s)
        with object_set(xml, "MarkerSet", "markerset"):
            for name, body, p in marks:
                end = body[-2:]
                with xml.open("Marker", name if body == "pelvis" else name + end if (
                        name not in ("shaft_middle", "hip_center", "ankle_center")) else
                        "%s_%s" % (body[:-2], name) + end):
                    xml.leaf("socket_parent_frame", "/bodyset/" + body)
                    xml.leaf("location", metres(p))
                    xml.leaf("fixed", "true")
        with object_set(xml, "ConstraintSet", "constraintset"):
            for suffix, s in SIDES:
                with xml.open("CoordinateCouplerConstraint", "patella_follows" + suffix):
                    with xml.open("coupled_coordinates_function"):
                        with xml.open("LinearFunction", "function"):
                            xml.leaf("coefficients", "1 0")
                    xml.leaf("independent_coordinate_names", "knee_angle" + suffix)
                    xml.leaf("dependent_coordinate_name", "knee_angle%s_beta" % suffix)
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(xml.lines) + "\n")


def both_sides(marks):
    """Names, bodies and places (mm) of the landmarks of both sides."""
    for name, body, p in marks:
        if body not in MIDDLE:
            yield from ((name, body + suffix, flip(p, s)) for suffix, s in SIDES)
        elif abs(p[2]) > 1e-6:
            yield from ((name + suffix, body, flip(p, s)) for suffix, s in SIDES)
        else:
            yield name, body, (p[0], p[1], 0.0)


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else HERE
    os.makedirs(os.path.join(folder, "Geometry"), exist_ok=True)
    parts = shapes()
    files = {}
    for name, body, make, sided, euler in bones.BONES:
        vertices, faces = mesh(make(), CELLS.get(name, CELL), euler)
        for suffix, s in SIDES if sided else (("", 1),):
            turned = faces if s == 1 else [tuple(reversed(f)) for f in faces]
            file = name + suffix + ".obj"
            files.setdefault(body_name(body, suffix or "_r"), []).append(file)
            meshfile.write(os.path.join(folder, "Geometry", file), name + suffix,
                           [tuple(v / 1000 for v in flip(p, s)) for p in vertices], turned, 4)
    points = list(placed_points(parts))
    marks = list(both_sides(landmarks(parts)))
    write_model(os.path.join(folder, "legs.osim"), points, marks, files)
    with open(os.path.join(folder, "features.json"), "w", encoding="ascii") as file:
        file.write('{"features": [\n' + ",\n".join("  " + json.dumps(
            {"name": n, "body": b, "location": [round(v / 1000, 5) + 0.0 for v in p]})
            for n, b, p in marks) + "\n]}\n")
    muscles = {row["name"]: row["muscle"] for row in table("muscles.csv")}
    with open(os.path.join(folder, "attachments.csv"), "w", encoding="ascii") as file:
        file.write("muscle,element,kind,order,body,x,y,z\n")
        for suffix, s in SIDES:
            for p in points:
                file.write("%s,%s,%s,%s,%s,%s\n" % (
                    muscles[p["name"]], p["name"] + suffix, p["kind"], p["order"],
                    body_name(p["body"], suffix), metres(flip(p["place"], s)).replace(" ", ",")))


if __name__ == "__main__":
    main()
