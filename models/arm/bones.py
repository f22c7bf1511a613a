#!/usr/bin/python3
"""Writes the bones of arm25.osim as Geometry/*.obj: bones.py [FOLDER]

Each bone is a few closed surfaces that run into each other: tubes along a line of stations, balls,
and plates. Their places are those of the model's joint centres and attachments, in the frame of the
body that carries them; the rest is drawn by eye. Units here: mm. The files are in m, and their faces
turn outwards."""
import math
import os
import sys


def sub(a, b):
    return [p - q for p, q in zip(a, b)]


def along(p, k, d):
    return [a + k * b for a, b in zip(p, d)]


def dot(a, b):
    return sum(p * q for p, q in zip(a, b))


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def unit(a):
    return [p / math.sqrt(dot(a, a)) for p in a]


class Bone:
    """A mesh: vertices, and faces of three or four of them."""

    def __init__(self):
        self.vertices, self.faces = [], []

    def add(self, points):
        self.vertices += points
        return range(len(self.vertices) - len(points) + 1, len(self.vertices) + 1)

    def rings(self, rings, first, last):
        """A closed surface through rings of equally many points, with a tip at each end."""
        rows = [self.add(ring) for ring in rings]
        n = len(rows[0])
        a, b = self.add([first, last])
        for i in range(n):
            j = (i + 1) % n
            self.faces.append((a, rows[0][j], rows[0][i]))
            self.faces += [(p[i], p[j], q[j], q[i]) for p, q in zip(rows, rows[1:])]
            self.faces.append((b, rows[-1][i], rows[-1][j]))

    def tube(self, stations, toward=(0, 0, 1), sides=10):
        """Around (x, y, z, r, s) from station to station: ellipses square to the line, semi-axis r
        in the direction `toward`, s across; s may be left out. The ends are rounded."""
        points = [list(s[:3]) for s in stations]
        rings, tips = [], []
        for k, station in enumerate(stations):
            r, s = station[3], station[-1]
            t = unit(sub(points[min(k + 1, len(points) - 1)], points[max(k - 1, 0)]))
            w = unit(cross(t, toward))
            u = cross(w, t)

            def ring(size, shift):
                center = along(points[k], shift, t)
                angles = [2 * math.pi * i / sides for i in range(sides)]
                return [along(along(center, size * r * math.cos(v), u), size * s * math.sin(v), w)
                        for v in angles]
            end = -1 if k == 0 else 1 if k == len(points) - 1 else 0
            cap = 0.5 * min(r, s)
            if end == -1:
                rings.append(ring(0.7, -0.7 * cap))
            rings.append(ring(1, 0))
            if end == 1:
                rings.append(ring(0.7, 0.7 * cap))
            if end:
                tips.append(along(points[k], end * cap, t))
        self.rings(rings, *tips)

    def ball(self, x, y, z, a, b, c, sides=12):
        """An ellipsoid with these semi-axes along x, y, z."""
        angles = [2 * math.pi * i / sides for i in range(sides)]
        rings = []
        for k in range(1, sides // 2):
            v = math.pi * k / (sides // 2)
            wide = math.sin(v)
            rings.append([[x + wide * a * math.sin(h), y - b * math.cos(v), z + wide * c * math.cos(h)]
                          for h in angles])
        self.rings(rings, [x, y - b, z], [x, y + b, z])

    def plate(self, corners, thickness, bulge=0):
        """A thin plate around its middle; its corners turn left as seen from where it bulges to."""
        n = len(corners)
        middle = [sum(c[i] for c in corners) / n for i in range(3)]
        normal = [0, 0, 0]
        for p, q in zip(corners, corners[1:] + corners[:1]):
            normal = along(normal, 1, cross(sub(p, middle), sub(q, middle)))
        normal = unit(normal)
        inner = [along(along(c, 0.5, sub(middle, c)), 0.75 * bulge, normal) for c in corners]
        h = thickness / 2

        def side(k):
            return [[along(p, k * h, normal) for p in row] for row in (corners, inner)]
        back, front = side(-1), side(1)
        center = along(middle, bulge, normal)
        self.rings([back[1], back[0], front[0], front[1]], along(center, -h, normal),
                   along(center, h, normal))

    def long(self, p, q, end, middle):
        """A small long bone, thicker at its ends."""
        shape = ((0.06, end), (0.2, end * 0.85), (0.5, middle), (0.8, end * 0.8), (0.94, end * 0.95))
        self.tube([along(p, k, sub(q, p)) + [r] for k, r in shape], sides=8)

    def write(self, path):
        with open(path, "w", encoding="ascii") as file:
            file.write("# made by models/arm/bones.py\n")
            for v in self.vertices:
                file.write("v %.4f %.4f %.4f\n" % tuple(round(x / 1000, 4) + 0.0 for x in v))
            for face in self.faces:
                file.write("f %s\n" % " ".join(map(str, face)))


def spine():
    bone = Bone()
    line = [(-62, 62), (-78, 20), (-92, -40), (-101, -110), (-103, -170), (-97, -230), (-84, -300)]
    column = []
    for (x, y), (x2, y2) in zip(line, line[1:]):
        for i in range(4):
            k = i / 4
            column.append((x + (x2 - x) * k, y + (y2 - y) * k, 0, 15 if i % 2 else 12))
    bone.tube(column, sides=8)
    for x, y in ((-104, 0), (-118, -50), (-126, -100), (-129, -150), (-126, -200), (-116, -250)):
        bone.tube([(x + 12, y + 6, 0, 3, 9), (x, y, 0, 3, 7), (x - 9, y - 10, 0, 2.5, 5)], sides=6)
    return bone


def ribs():
    """Ten pairs, and the breastbone."""
    bone = Bone()
    bone.tube([(2, -3, 0, 22, 6), (12, -22, 0, 20, 6), (24, -42, 0, 13, 5), (36, -75, 0, 15, 5),
               (46, -110, 0, 18, 5), (52, -140, 0, 14, 4.5), (54, -165, 0, 6, 3)], sides=8)
    widths = (52, 84, 105, 118, 127, 133, 137, 138, 136, 130)
    fronts = ((4, -12, 20), (25, -44, 14), (33, -66, 14), (39, -86, 15), (45, -104, 16),
              (50, -122, 15), (53, -138, 13), (50, -165, 40), (40, -195, 70), (26, -225, 92))
    for k, (width, (fx, fy, fz)) in enumerate(zip(widths, fronts)):
        y = 32 - 29 * k
        back = -98 - 3.2 * k if k < 8 else -120 + 4 * (k - 8)
        sag = 14 if k else 5
        for side in (1, -1):
            line = []
            for i in range(9):
                s = i / 8
                v = math.pi * s
                x = (fx + back) / 2 - (fx - back) / 2 * math.cos(v)
                z = 12 + (fz - 12) * s
                z += (width - z) * math.sin(v) ** 0.8
                line.append((x, y + (fy - y) * s - sag * math.sin(v), side * z, 5.5, 3))
            bone.tube(line, (0, 1, 0), 5)
    return bone


def clavicle():
    bone = Bone()
    bone.tube([(-1, -2, -4, 11, 10), (1, 0, 8, 9, 8.5), (3, 3, 30, 6.5), (0, 6, 55, 6),
               (-7, 11, 82, 6), (-11.5, 16, 106, 5, 7.5), (-13.5, 19, 123, 4.5, 9),
               (-14, 20, 132, 4.5, 8)], (0, 1, 0), 12)
    return bone


def scapula():
    bone = Bone()
    root, lower, upper = (-86, -29, -99), (-114, -130, -84), (-75, 14, -105)
    notch, throat = (-50, -27, -29), (-38, -34, -23)
    bone.plate([upper, root, (-100, -80, -93), lower, (-103, -108, -70), (-76, -78, -46),
                (-49, -49, -24), throat, (-42, -20, -34), (-52, -6, -62)], 3, 5)
    bone.tube([(-40, -40, -18, 5), (-55, -54, -29, 4.5), (-78, -80, -46, 4), (-102, -108, -68, 4.5),
               (-113, -127, -81, 5)], sides=8)
    bone.tube([upper + (2,), root + (2.5,), (-101, -80, -94, 2.5), lower + (4,)], sides=8)
    # the spine of the blade, the acromion, the coracoid, the socket
    crest = [root, (-80, -12, -72), (-68, -2, -46), (-56, 1, -25)]
    bone.plate([root, (-70, -27, -63), notch] + crest[:0:-1], 4)
    bone.tube([(-87, -27, -97, 3, 5), (-80, -11, -72, 4, 5), (-68, -1, -46, 4.5, 6),
               (-55, 3, -24, 4.5, 8), (-40, 7, 0, 4, 11), (-24, 8, 15, 3.5, 13),
               (-10, 6, 19, 3.5, 11), (-1, 4, 16, 3.5, 8)], (0, 1, 0))
    bone.tube([(-36, -20, -30, 8), (-24, -10, -35, 7), (-8, -13, -37, 6), (5, -24, -34, 5.5),
               (11, -36, -28, 4.5)])
    bone.tube([(-45, -33, -31, 9, 12), (-34, -34, -18, 11, 15), (-28.5, -34, -12, 12, 18)],
              (0.73, 0, -0.68))
    return bone


def humerus():
    bone = Bone()
    bone.ball(-1, 0, -1, 23, 23, 23, sides=18)
    bone.ball(1, -1, 13, 14, 15, 13)       # greater tubercle
    bone.ball(14, -4, -6, 8, 12, 9)        # lesser tubercle
    bone.tube([(2, -4, 3, 20, 20), (2, -18, 2, 17, 17), (1, -33, 0, 12, 11.5),
               (0, -52, -1, 10, 9.5), (1, -95, 0, 9), (2, -122, -1, 10.5, 9.5), (2, -138, -1, 10, 9),
               (2, -160, -3, 8.8), (2, -185, -6, 8.7), (1, -228, -9, 11, 7.5), (2, -252, -10, 18, 6.5),
               (4, -268, -11, 23, 6.5), (6, -281, -11, 23, 8)], sides=14)
    axis = (0.0494, 0.0366, 0.9981)        # of the elbow: the trochlea and the capitulum
    spool = ((-18, 9), (-16, 12), (-10, 10.5), (-3, 10), (4, 11.5), (9, 11), (14, 11.5), (20, 11.5),
             (24, 8))
    bone.tube([along((6.1, -290.4, -12.3), k, axis) + [r] for k, r in spool], (0, 1, 0), 14)
    bone.tube([(3, -254, -22, 7, 5), (4, -267, -29, 7, 6), (3.5, -275, -34, 6, 5)], (0, 1, 0))
    bone.tube([(3, -256, 2, 7, 5), (2, -272, 9, 8, 6.5), (-1, -284, 13, 7, 5)], (0, 1, 0))
    return bone


def ulna():
    bone = Bone()
    bone.tube([(-15.5, 14, -1, 9, 4.5), (-17, 8, 0, 10.5, 6), (-18, -4, 1, 10, 7),
               (-15.5, -17, 2, 10, 10), (-12.5, -30, 4, 8, 9), (-11, -60, 12, 6.8),
               (-10.5, -100, 21, 6.2), (-6, -150, 30, 5.6), (0, -200, 39, 5), (2.5, -226, 44, 6),
               (3.5, -238, 46.5, 7.6), (3.5, -244, 47.5, 6.5)], sides=12)
    bone.tube([(-10, -18, 1, 9, 5), (0, -19, 1, 7, 3.5)], sides=10)
    bone.tube([(-1, -243, 49, 3), (-3, -251, 49.5, 2)], sides=8)
    return bone


def radius():
    bone = Bone()
    bone.tube([(0, -1, 0, 10), (0, -3, 0, 11), (0, -8, 0.5, 10.5), (0.5, -12, 1, 7.5),
               (1.5, -22, 2, 6.3), (3.5, -36, 4, 7), (8.5, -60, 9, 6.5), (18, -100, 18, 6.5),
               (24.5, -140, 21.5, 6.2), (28, -178, 24.5, 6.5, 8), (28.5, -205, 25.5, 7.5, 11),
               (28, -224, 25, 9.5, 15), (27, -236, 24, 10.5, 17), (27, -242, 24, 9, 15)], sides=12)
    bone.ball(0, -37, 0, 4.5, 9, 4)        # the tuberosity
    bone.tube([(38, -234, 23, 7), (42, -244, 22, 5), (42.5, -248, 22, 3)], sides=8)
    return bone


def proximal_row():
    bone = Bone()
    bone.ball(0, -7, 1, 8.5, 8.5, 9, sides=10)
    bone.ball(14.5, -9, -2, 9, 8, 8, sides=10)
    bone.ball(-11, -12, 0, 7, 7, 8, sides=10)
    bone.ball(-13, -14, -9, 5, 5, 5, sides=10)
    return bone


def hand():
    bone = Bone()
    for ball in ((0, -8, 3, 8, 11.5, 9), (-12.5, -10.5, 0, 7.5, 9, 8), (10.5, -13, 1, 6, 7.5, 7.5),
                 (18, -9, -8, 7.5, 7, 7)):
        bone.ball(*ball, sides=10)
    digits = (  # the ends of metacarpal and phalanges, and how thick
        (6.8, (22, -12, -13), (39, -39, -25.5), (53, -65, -35.6), (64, -84, -42.5)),
        (6.6, (13.5, -19, 1.5), (18.2, -65.9, 8.7), (25.7, -107.1, 16), (29, -132, 17.2),
         (30.8, -150, 18)),
        (6.7, (1, -18, 4), (0.7, -65.5, 9.2), (2.4, -109.7, 15.4), (3.7, -138.8, 17.4),
         (4.7, -158, 18.4)),
        (6.2, (-9.5, -18, 2), (-13.9, -64.2, 3.3), (-17.4, -104.5, 4.7), (-19.7, -129.2, 5.2),
         (-20.8, -148, 5.6)),
        (5.6, (-18, -18, -2), (-23.5, -56.1, -5.7), (-28.8, -91.7, -8.6), (-31.6, -112.4, -10.8),
         (-33.2, -128, -12)))
    for thick, *joints in digits:
        for i, (p, q) in enumerate(zip(joints, joints[1:])):
            bone.long(p, q, thick * (1 - 0.13 * i), thick * (0.62 - 0.07 * i))
    return bone


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.join(here, "Geometry")
    for make in (spine, ribs, clavicle, scapula, humerus, ulna, radius, proximal_row, hand):
        make().write(os.path.join(folder, make.__name__ + ".obj"))


if __name__ == "__main__":
    main()
