"""The joints of legs.osim: where each body is, given the joints' angles. Units: mm, radians.

The right side is told; the left is its mirror image. Axes and centres: Delp and others (1990); the
knee's motion: Yamaguchi and Zajac (1989); the patella's is derived here."""
from math import cos, pi, sin, sqrt

from bones import (ANKLE, ANKLE_AXIS, CONDYLE_RADIUS, GROOVE_RADIUS, HIP, KNEE, MTP, MTP_AXIS, SUBTALAR,
                   SUBTALAR_AXIS, TROCHLEA, TUBEROSITY)
from implicit import add, along, cross, dot, length, sub

DEGREE = pi / 180
# Where the tibia's origin is in the femur's frame by knee angle (rad; flexion negative), mm
KNEE_X = ((-2.0944, -1.74533, -1.39626, -1.0472, -0.698132, -0.349066, -0.174533, 0.197344),
          (-3.2, 1.79, 4.11, 4.1, 2.12, -1.0, -3.1, -5.227))
KNEE_Y = ((-2.0944, -1.22173, -0.523599, -0.349066, -0.174533, 0.159149),
          (-422.6, -408.2, -399.0, -397.6, -396.6, -395.264))
# The patella: its middle keeps this distance to the axes of the groove and of the condyles (3 mm of
# cartilage between), its ligament keeps its length, and it turns with the knee, but less: by about
# 0.7 of its flexion (Nha and others 2008: 0.6 to 0.8)
GROOVE_DISTANCE = GROOVE_RADIUS + 3 + 9.5
CONDYLE_DISTANCE = CONDYLE_RADIUS + 3 + 7.0
PATELLA_SHARE = 0.72
APEX = (-0.5, -21.0, 0.0)          # in the patella: where its ligament begins
LIGAMENT = 56.0                    # mm: of the straight line from there to the tuberosity


class Spline:
    """A natural cubic spline through points, straight beyond them: OpenSim's SimmSpline to within
    0.05 mm between these knots."""

    def __init__(self, x, y):
        n = len(x)
        h = [b - a for a, b in zip(x, x[1:])]
        m, diagonal, right = [0.0] * n, [1.0] * n, [0.0] * n
        for i in range(1, n - 1):
            diagonal[i] = 2 * (h[i - 1] + h[i])
            right[i] = 6 * ((y[i + 1] - y[i]) / h[i] - (y[i] - y[i - 1]) / h[i - 1])
            if i > 1:
                k = h[i - 1] / diagonal[i - 1]
                diagonal[i] -= k * h[i - 1]
                right[i] -= k * right[i - 1]
        for i in range(n - 2, 0, -1):
            m[i] = (right[i] - h[i] * m[i + 1]) / diagonal[i]
        self.x, self.y, self.h, self.m = x, y, h, m

    def __call__(self, t):
        x, y, h, m = self.x, self.y, self.h, self.m
        i = max([0] + [k for k in range(len(h)) if x[k] <= t])
        if t < x[0] or t > x[-1]:
            j = 0 if t < x[0] else len(h)
            slope = ((y[1] - y[0]) / h[0] - h[0] * (2 * m[0] + m[1]) / 6 if j == 0 else
                     (y[-1] - y[-2]) / h[-1] + h[-1] * (m[-2] + 2 * m[-1]) / 6)
            return y[j] + slope * (t - x[j])
        a, b = (x[i + 1] - t) / h[i], (t - x[i]) / h[i]
        return a * y[i] + b * y[i + 1] + ((a ** 3 - a) * m[i] + (b ** 3 - b) * m[i + 1]) * h[i] ** 2 / 6


knee_x, knee_y = Spline(*KNEE_X), Spline(*KNEE_Y)


def turn(axis, angle):
    """The rows of a rotation about a unit vector."""
    c, s = cos(angle), sin(angle)
    rows = []
    for e in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)):
        v = along(tuple(c * x for x in e), s, cross(axis, e))
        rows.append(along(v, (1 - c) * dot(axis, e), axis))
    return tuple(zip(*rows))


def rotate(rows, p):
    return (dot(rows[0], p), dot(rows[1], p), dot(rows[2], p))


def times(a, b):
    columns = list(zip(*b))
    return tuple(tuple(dot(row, c) for c in columns) for row in a)


def tibia_origin(angle):
    return (knee_x(angle), knee_y(angle), 0.0)


def patella(angle):
    """(place of the patella's origin in the femur, its turn about z) at this knee angle: where its
    ligament reaches the tuberosity."""
    tuberosity = add(tibia_origin(angle), rotate(turn((0, 0, 1), angle), (TUBEROSITY[0], TUBEROSITY[1], 0.0)))
    up = PATELLA_SHARE * angle
    apex = rotate(turn((0, 0, 1), up), APEX)
    shift = sub(TROCHLEA, KNEE)

    def middle(at):
        way = (cos(at), sin(at), 0.0)
        b = dot(way, shift)
        square = b * b - dot(shift, shift) + CONDYLE_DISTANCE ** 2
        far = -b + sqrt(max(square, 0.0))
        k = max(4.0 - abs(far - GROOVE_DISTANCE), 0.0) / 4.0  # rounded where one takes over
        return along(TROCHLEA, max(far, GROOVE_DISTANCE) + k * k, way)
    low, high = angle - 1.2, angle + 1.2
    for _ in range(60):
        at = (low + high) / 2
        if length(sub(add(middle(at), apex), tuberosity)) > LIGAMENT:
            high = at
        else:
            low = at
    return middle(at), up


def hip_turn(flexion, adduction, rotation):
    return times(times(turn((0, 0, 1), flexion), turn((1, 0, 0), adduction)), turn((0, 1, 0), rotation))


# coordinate of the right side -> range in degrees
RANGES = {"hip_flexion": (-30, 120), "hip_adduction": (-50, 30), "hip_rotation": (-40, 40),
          "knee_angle": (-120, 10), "ankle_angle": (-40, 30), "subtalar_angle": (-20, 20),
          "mtp_angle": (-30, 30)}


class Pose:
    """Turns and places of the bodies of one right leg in the pelvis, for bones that a map f (body,
    point -> point) has changed. Joint centres are the changed ones; `twist` is the turn about y that
    the map gives to the ankle against the knee."""

    def __init__(self, f, angles, twist=0.0):
        def q(name):
            return angles.get(name, 0.0)
        place, rows = {}, {}

        def put(body, parent, center, turning, own):
            """The point `own` of the body is at `center` of the parent."""
            rows[body] = times(rows[parent], turning)
            at = add(rotate(rows[parent], f(parent, center)), place[parent])
            place[body] = sub(at, rotate(rows[body], f(body, own)))
        rows["pelvis"], place["pelvis"] = turn((0, 1, 0), 0.0), (0.0, 0.0, 0.0)
        rows["lumbar"], place["lumbar"] = rows["pelvis"], place["pelvis"]
        put("femur", "pelvis", HIP, hip_turn(q("hip_flexion"), q("hip_adduction"), q("hip_rotation")),
            (0.0, 0.0, 0.0))
        knee = turn((0, 0, 1), q("knee_angle"))
        put("tibia", "femur", KNEE, knee,
            rotate(turn((0, 0, 1), -q("knee_angle")), sub(KNEE, tibia_origin(q("knee_angle")))))
        middle, up = patella(q("knee_angle"))
        put("patella", "femur", middle, turn((0, 0, 1), up), (0.0, 0.0, 0.0))
        put("talus", "tibia", ANKLE, times(turn((0, 1, 0), twist), turn(ANKLE_AXIS, q("ankle_angle"))),
            (0.0, 0.0, 0.0))
        put("calcn", "talus", SUBTALAR, turn(SUBTALAR_AXIS, q("subtalar_angle")), (0.0, 0.0, 0.0))
        put("toes", "calcn", MTP, turn(MTP_AXIS, q("mtp_angle")), (0.0, 0.0, 0.0))
        self.f, self.rows, self.place = f, rows, place

    def __call__(self, body, p):
        return add(rotate(self.rows[body], self.f(body, p)), self.place[body])


# joint, parent, centre in the parent, axis in the parent at angle 0 (None: a ball)
JOINTS = (("hip", "pelvis", HIP, None), ("knee", "femur", KNEE, (0.0, 0.0, 1.0)),
          ("ankle", "tibia", ANKLE, ANKLE_AXIS), ("subtalar", "talus", SUBTALAR, SUBTALAR_AXIS),
          ("mtp", "calcn", MTP, MTP_AXIS))
