"""The bones of a right leg and of the pelvis as blended shapes (implicit.py), and their landmarks.

Units: mm. Each bone is in the frame of the body that carries it, x forward, y up, z to the right:
pelvis: origin between the anterior superior iliac spines; femur: centre of the head; tibia: near the
middle of the knee (the plateau is 35 mm below); patella: its middle; talus: on the ankle's axis;
calcn: under the heel; toes: on the line of the toes' joints. Joint centres, axes and the places of
attachments that the shapes were drawn around are those of Delp and others (1990); the circle of the
posterior condyles is fitted to the knee's motion of Yamaguchi and Zajac (1989). The rest is drawn
by eye."""
from implicit import (Ball, Can, Egg, Grown, Intersect, Limb, Minus, Scale, Sheet, Union, add, along, cross, mix,
                      sub, unit)

HIP = (-70.7, -66.1, 83.5)         # in the pelvis
KNEE = (-9.4, -407.8, 0.0)         # in the femur: the axis of the posterior condyles, along z
CONDYLE_RADIUS = 20.0
HEAD_RADIUS = 24.0
CUP_RADIUS = 26.5
TROCHLEA = (5.0, -398.0, 0.0)      # in the femur: the axis of the groove
GROOVE_RADIUS = 23.0
ANKLE_AXIS = unit((-0.10501355, -0.17402245, 0.97912632))
TALUS_RADIUS = 18.0
SUBTALAR = (-48.77, -41.95, 7.92)  # origin of the calcn in the talus
SUBTALAR_AXIS = unit((0.78717961, 0.60474746, -0.12094949))
ANKLE = (0.0, -430.0, 0.0)         # in the tibia
MTP = (178.8, -2.0, 1.08)          # in the calcn
MTP_AXIS = unit((-0.5809544, 0.0, 0.81393611))
PLATEAU = -35.0                    # height in the tibia
TUBEROSITY = (37.0, -76.0, 2.0)    # in the tibia


def half_space(point, outward):
    """What lies on that side of a plane, as a ball so large that it is flat here."""
    outward = unit(outward)
    return Ball(along(point, 4000.0, outward), 4000.0)


def chain(stations, k=0.0, flat=None):
    """Limbs through (x, y, z, r)."""
    return Union(k, *[Limb(a[:3], b[:3], a[3], b[3], flat) for a, b in zip(stations, stations[1:])])


def smooth(stations, rounds=2):
    """More stations on a curve through the ends and near the others (corner cutting)."""
    for _ in range(rounds):
        cut = [stations[0]]
        for a, b in zip(stations, stations[1:]):
            cut += [mix(a, b, 0.25), mix(a, b, 0.75)]
        stations = cut[:1] + cut[2:-1] + [stations[-1]]
    return stations


def sheet(points, triangles, rounds=2):
    """A curved blade: points name -> (x, y, z, half thickness), triangles of names, smoothed by
    Loop's subdivision."""
    names = list(points)
    at = [tuple(map(float, points[n])) for n in names]
    faces = [tuple(names.index(n) for n in t.split()) for t in triangles]
    for _ in range(rounds):
        wings, around = {}, {}
        for face in faces:
            for i in range(3):
                a, b, c = face[i], face[i - 2], face[i - 1]
                wings.setdefault((min(a, b), max(a, b)), []).append(c)
        border = {}
        for (a, b), c in wings.items():
            around.setdefault(a, []).append(b)
            around.setdefault(b, []).append(a)
            if len(c) == 1:
                border.setdefault(a, []).append(b)
                border.setdefault(b, []).append(a)

        def mean(parts):
            return tuple(sum(w * at[i][k] for i, w in parts) for k in range(4))
        new = []
        for i in range(len(at)):
            if i in border:
                new.append(mean([(i, 0.9)] + [(j, 0.1 / len(border[i])) for j in border[i]]))
            else:
                n = len(around[i])
                w = 3 / 16 if n == 3 else 3 / (8 * n)
                new.append(mean([(i, 1 - n * w)] + [(j, w) for j in around[i]]))
        middle = {}
        for (a, b), c in wings.items():
            middle[a, b] = middle[b, a] = len(new)
            if len(c) == 1:
                new.append(mean([(a, 0.5), (b, 0.5)]))
            else:
                new.append(mean([(a, 0.375), (b, 0.375), (c[0], 0.125), (c[1], 0.125)]))
        faces = [t for a, b, c in faces for t in (
            (a, middle[a, b], middle[c, a]), (middle[a, b], b, middle[b, c]),
            (middle[c, a], middle[b, c], c), (middle[a, b], middle[b, c], middle[c, a]))]
        at = new
    return Sheet([Scale(at[a][:3], at[b][:3], at[c][:3], (at[a][3], at[b][3], at[c][3]))
                  for a, b, c in faces])


def hip_bone():
    wing = sheet({
        "asis": (1, -3, 128, 6.5), "front": (-14, 26, 136, 5), "tubercle": (-42, 51, 138, 7),
        "side": (-70, 80, 121, 4.5), "top": (-95, 92, 95, 5), "back": (-119, 80, 71, 5.5),
        "behind": (-138, 61, 58, 7), "psis": (-150, 38, 49, 8), "piis": (-137, 6, 49, 7),
        "auricular": (-122, 34, 55, 9), "notch": (-116, -2, 58, 7), "arch": (-98, 2, 63, 9),
        "dent": (-17, -19, 113, 5), "aiis": (-31, -38, 96, 9), "fossa1": (-47, 8, 109, 3),
        "fossa2": (-70, 37, 94, 2.5), "fossa3": (-97, 43, 72, 3), "roof": (-58, -24, 92, 11),
        "pillar": (-80, -18, 76, 11), "wall": (-96, -34, 66, 9), "eminence": (-47, -54, 78, 9)},
        ("asis front dent", "front fossa1 dent", "front tubercle fossa1", "dent fossa1 aiis",
         "fossa1 roof aiis", "tubercle fossa2 fossa1", "tubercle side fossa2", "fossa1 fossa2 roof",
         "fossa2 pillar roof", "side top fossa2", "top fossa3 fossa2", "top back fossa3",
         "fossa2 fossa3 pillar", "fossa3 arch pillar", "back auricular fossa3",
         "back behind auricular", "behind psis auricular", "psis piis auricular",
         "auricular piis notch", "auricular notch arch", "fossa3 auricular arch",
         "arch notch wall", "arch wall pillar", "aiis roof eminence"))
    open_to = unit((0.30, -0.58, 0.76))
    column = Union(8, Limb((-98, -30, 66), (-99, -66, 67), 12, 14),
                   Limb((-101, -46, 62), (-121, -53, 47), 11, 4),         # ischial spine
                   Limb((-96, -78, 70), (-113, -98, 58), 17, 16))
    ischium = Union(8, Limb((-121, -92, 62), (-105, -118, 46), 14, 10.5, ((0, 0, 1), 0.9)),
                    chain(smooth([(-104, -116, 44, 9), (-84, -121, 32, 6.5), (-64, -117, 21, 6),
                                  (-44, -107, 11, 7)], 1), 0, ((0.4, 0.2, 1), 0.8)))
    pubis = Union(7, chain(smooth([(-52, -62, 68, 14), (-42, -70, 48, 9.5), (-34, -78, 30, 8),
                                   (-31, -86, 13, 8.5)], 1)),
                  Limb((-32, -86, 11), (-41, -105, 10), 8.5, 8), Ball((-27, -80, 19), 5.5))
    cup = Minus(6, Ball(HIP, 36.5), half_space(along(HIP, 9, open_to), open_to),
                half_space((0, 0, HIP[2] - 32), (0.1, 0, -1)))
    body = Union(9, cup, wing, column, ischium, pubis)
    return Minus(2.5, body, Ball(HIP, CUP_RADIUS),
                 Limb(HIP, along(HIP, 60, open_to), CUP_RADIUS, CUP_RADIUS),
                 half_space((0, 0, 1.8), (0, 0, -1)))


def sacrum():
    rows = [(-98, 66, 0, 15, 42, 9.5), (-116, 46, 0, 15, 39, 9), (-134, 22, 0, 13, 34, 8),
            (-146, -2, 0, 11, 27, 7), (-152, -24, 0, 8.5, 21, 5.5), (-152, -40, 0, 7, 11, 4.5),
            (-146, -56, 0, 5.5, 6, 4), (-136, -69, 0, 4, 3, 3)]
    points, triangles = {}, []
    for i, (x, y, z, t, wide, edge) in enumerate(rows):
        points["c%d" % i] = (x, y, z, t)
        for side, s in (("r", 1), ("l", -1)):
            back = 12 if i < 3 else 5 if i < 5 else 0
            points["m" + side + str(i)] = (x - back * 0.2, y - 1, s * wide * 0.55, (t + edge) * 0.47)
            points[side + str(i)] = (x - back, y - 4, s * wide, edge)
        if i:
            for a, b in (("l", "ml"), ("ml", "c"), ("c", "mr"), ("mr", "r")):
                a0, b0, a1, b1 = (n + str(j) for j in (i - 1, i) for n in (a, b))
                triangles += ["%s %s %s" % (a0, a1, b0), "%s %s %s" % (b0, a1, b1)]
    body = Union(6, sheet(points, triangles, 1),
                 Limb((-97, 62, -9), (-97, 62, 9), 17, 17),
                 chain([(x - t - 2.5 - 2 * (i % 2), y - 4, 0, 5 - 0.4 * i)
                        for i, (x, y, z, t, wide, edge) in enumerate(rows[:5])]),
                 *[Limb((-112, 62, 14 * s), (-124, 68, 19 * s), 7, 4) for s in (1, -1)])
    holes = []
    for i in range(4):
        a, b = rows[i], rows[i + 1]
        down = unit(sub(b[:3], a[:3]))
        out = unit(cross(down, (0, 0, 1)))
        for s in (1, -1):
            c = add(mix(a[:3], b[:3], 0.6), (0, 0, s * (22 - 2.6 * i)))
            holes.append(Limb(along(c, -40, out), along(c, 40, out), 4.4 - 0.4 * i, 4.4 - 0.4 * i))
    end = unit(sub(rows[0][:3], rows[1][:3]))
    return Minus(2, body, half_space(along(rows[0][:3], 9, end), end), *holes)


def lumbar():
    """The fifth lumbar vertebra, which does not move against the sacrum here."""
    body = Union(4, Can((-91, 84, 0), (-83, 106, 0), 22, 5), Can((-91, 84, -7), (-83, 106, -7), 20, 5),
                 Can((-91, 84, 7), (-83, 106, 7), 20, 5))
    arch = []
    for s in (1, -1):
        arch += [chain([(-103, 102, 12 * s, 6), (-117, 101, 17 * s, 6), (-130, 96, 6 * s, 5)]),
                 Limb((-113, 102, 16 * s), (-112, 106, 42 * s), 6, 4),
                 Limb((-119, 98, 18 * s), (-122, 84, 21 * s), 6, 5),
                 Limb((-117, 102, 17 * s), (-113, 114, 19 * s), 6, 4.5)]
    return Union(4, body, *arch, Limb((-128, 96, 0), (-152, 88, 0), 5, 6))


def femur():
    shaft = chain(smooth([(-12, -42, 38, 18), (-8, -72, 36, 16), (0, -105, 32.5, 14.5),
                          (8, -150, 29.5, 13.5), (13, -200, 26, 13.2), (14, -250, 20.5, 13.5),
                          (12, -300, 13, 14.5), (8, -345, 6, 17), (4, -372, 2, 18)]))
    neck = Limb((0, 0, 0), (-13, -34, 37), 15.0, 17.5, ((1, 0, 0), 0.88))
    great = Union(6, Limb((-15, -38, 45), (-19, -12, 49), 15.5, 11),
                  Limb((-22, -18, 46), (-27, -7, 43), 9, 7))
    crest = Limb((-26, -14, 42), (-22, -58, 19), 6.5, 6.5)
    small = Limb((-11, -62, 26), (-18, -63, 15), 12, 8)
    aspera = chain(smooth([(-17, -78, 38, 5), (-13, -115, 36, 5), (-4, -160, 29.5, 5),
                           (0.5, -210, 24.5, 5), (0, -260, 18, 4.5), (-3, -290, 13, 4)]), 0)
    lines = [chain([(-2, -285, 14, 4), (-5, -340, 18, 4), (-6, -380, 26, 4)]),
             chain([(-2, -285, 14, 4), (-6, -335, -5, 4), (-7, -378, -28, 5)])]
    flare = Union(8, Limb((9, -335, 6), (-2, -392, -21), 15, 17),
                  Limb((9, -335, 7), (0, -392, 22), 15, 17),
                  Limb((8, -345, 5), (4, -392, 0), 16, 18))
    condyles = Union(2, *[Can((KNEE[0], KNEE[1], a), (KNEE[0], KNEE[1], b), CONDYLE_RADIUS, 6)
                          for a, b in ((-38, -11), (11, 37))])
    facets = Union(4, *[Can((x, y, a), (x, y, b), r, 8)
                        for a, b, x, y, r in ((-35, -8, 7, -400, 25), (8, 36, 7, -399, 27))],
                   Can((5, -398, -16), (5, -398, 16), GROOVE_RADIUS, 2))
    epi = Union(5, Limb((-3, -400, -26), (-6, -394, -35), 16, 9.5),
                Limb((-3, -400, 26), (-6, -397, 35), 16, 9), Ball((-7, -378, -31), 6))
    body = Union(7, shaft, neck, great, crest, small, aspera, *lines, flare, epi)
    distal = Minus(4, Union(4, Union(5, body, facets), condyles),
                   Limb((-48, -398, 0), (-6, -432, 0), 11.5, 10.5),
                   Limb((-6, -432, 0), (3, -437, 0), 10.5, 9.5))
    return Union(3.5, distal, Ball((0, 0, 0), HEAD_RADIUS))


def tibia():
    shaft = chain(smooth([(-1, -58, 0, 24), (5, -82, -1, 18.5), (7, -115, -2, 14.5),
                          (7, -170, -3, 12), (5, -230, -4, 11), (2, -300, -5, 10.5),
                          (0, -350, -6, 11.5), (-1, -385, -7, 14.5), (-1, -402, -5, 17)]))
    top = Union(7, *[Can((x, -64, z), (x, -32, z), r, 9) for x, z, r in (
        (-8, -19, 22), (0, -17, 21), (-9, 19, 21), (0, 17, 20), (3, 0, 21))],
                Limb((-6, -56, 22), (-19, -57, 27), 12, 9))
    tuber = Union(5, Limb((14, -56, 1), (27, -76, 2), 14, 9.5), Limb((27, -76, 2), (20, -98, 0), 9.5, 8))
    front = chain(smooth([(20, -92, 0, 6.5), (17, -125, 1, 5.5), (17, -175, 0, 4.5),
                          (13, -235, -4, 4.5), (7, -300, -7, 5), (3, -350, -8, 6),
                          (0, -390, -8, 8)]), 0)
    ankle = along(ANKLE, 0, ANKLE_AXIS)
    malleolus = Limb((-1, -400, -17), (2, -429, -25), 14, 8)
    end = Union(6, Limb((-3, -404, -10), (-2, -404, 8), 17, 17), Limb((4, -408, -10), (4, -408, 8), 13, 13))
    body = Union(8, shaft, top, tuber, front, end, malleolus)
    joint = Can(along(ankle, -21, ANKLE_AXIS), along(ankle, 60, ANKLE_AXIS), TALUS_RADIUS + 2.5)
    dishes = [Ball((-6, PLATEAU + 119.5, -21), 119.5), Ball((-8, PLATEAU + 170, 21), 170)]
    body = Minus(2.5, body, *dishes, joint, Limb((-40, -424, 40), (40, -424, 40), 25, 25))
    return Union(3, body, Limb((-4, -44, -5), (-3, -33, -5), 7, 3.5),
                 Limb((-5, -44, 5), (-4, -34, 5), 7, 3.5))


def fibula():
    return Union(4, chain(smooth([(-24, -50, 34, 8.5), (-23, -60, 34, 8), (-20, -76, 33.5, 5.3),
                                  (-11, -120, 34, 5.8), (-5, -170, 32.5, 6.2), (-5, -230, 29.5, 6),
                                  (-7, -300, 26.5, 5.8), (-9, -360, 24.5, 5.8),
                                  (-10, -395, 25.5, 7), (-9, -418, 27.5, 9), (-9, -440, 27.5, 5.5)]),
                          0),
                 Limb((-25, -52, 34), (-27, -44, 34), 6.5, 3.5))


def patella():
    body = Union(6, Egg((0, 2.5, 0), (10.5, 18.5, 21.5)), Limb((1, -7, 0), (-0.5, -19, 0), 10, 4))
    # two facets behind that meet in a ridge, which runs in the groove
    return Minus(2.5, body, half_space((-9, 0, 0), (-1, 0, 0.42)), half_space((-9, 0, 0), (-1, 0, -0.38)))


def talus():
    a = ANKLE_AXIS
    dome = Can(along((0, 0, 0), -15, a), along((0, 0, 0), 15, a), TALUS_RADIUS, 3)
    under = Limb((-22, -19, 6), (20, -22, -8), 7, 6)
    dome = Intersect(3, dome, Limb((0, 8, 0), (0, -2, 0), 25, 25))
    body = Union(6, dome, Limb((-6, -8, 0), (12, -11, -4), 13, 12),
                 Limb((12, -11, -4), (30, -16, -10), 11, 10), Limb((-10, -12, 3), (-21, -15, 5), 8, 4),
                 Limb((0, -8, 8), (2, -14, 18), 9, 5), under)
    return Union(4, body, Egg((32, -17, -11), (10, 11.5, 14), (1, -0.2, -0.35), (0.2, 1, 0)))


def foot():
    """Calcaneus, navicular, cuboid, cuneiforms and metatarsals: what moves as one body."""
    heel = Union(8, Limb((15, 20, -3), (17, 5, -3), 13.5, 13.5), Limb((20, 14, -3), (42, 11, 2), 14, 12),
                 Limb((34, 12, 0), (64, 10, 11), 12, 11), Limb((40, 12, -6), (54, 15, -19), 8, 5.5))
    heel = Minus(4, heel, Limb((45, 42.5, -30), (45, 39, 20), 22, 22))
    middle = Union(4, Egg((97, 23, -17), (7.5, 12, 17), (1, -0.1, -0.3), (0.1, 1, 0)),
                   Limb((93, 18, -24), (86, 15, -30), 7, 5),
                   Egg((82, 12, 16), (15, 11, 12), (1, 0, -0.05), (0, 1, 0)),
                   Egg((114, 18, -22), (12, 12, 9), (1, -0.2, 0), (0.2, 1, 0)),
                   Egg((111, 24, -8), (9, 9, 7.5)), Egg((106, 21, 3), (11, 10, 7.5)),
                   Limb((66, 11, 11), (78, 12, 15), 10, 10))
    rays = []
    for base, head, (r, s, t) in (
            ((128, 15, -23), (191, 2, -26), (10, 6.8, 9)), ((118, 22, -9), (186, 2, -9), (7.5, 4.2, 6)),
            ((113, 19, 3), (177, 1.5, 4), (7, 3.8, 5.6)), ((98, 13, 16), (168, 1, 17), (7, 3.7, 5.6)),
            ((84, 10, 26), (157, 0, 31), (8, 3.9, 5.8))):
        rise = (0, 4, 0)
        rays.append(chain([base + (r,), add(mix(base, head, 0.25), rise) + (s * 1.15,),
                           add(mix(base, head, 0.6), rise) + (s,), mix(base, head, 0.9) + (t * 0.85,),
                           head + (t,)], 2))
    rays.append(Limb((80, 12, 29), (68, 14, 33), 7, 4.5))
    # what the talus leaves, 1.5 mm from it
    return Minus(1.5, Union(3, heel, middle, *rays),
                 Grown(talus(), tuple(-v for v in SUBTALAR), 1.5))


def toes():
    def bone(p, q, r):
        return chain([p + (r,), mix(p, q, 0.3) + (r * 0.72,), mix(p, q, 0.75) + (r * 0.68,), q + (r * 0.86,)], 1.5)
    digits = (
        (7.6, ((22, 3, -26), (45, 0, -24)), ((54, -1, -23), (70, -4, -21))),
        (5, ((16, 4, -10), (35, 1, -8)), ((42, 0, -7), (48, -3, -7)), ((54, -5, -6), (60, -7, -6))),
        (4.8, ((7, 4, 4), (26, 0, 6)), ((32, -1, 7), (38, -4, 8)), ((43, -6, 8.5), (49, -7.5, 9))),
        (4.7, ((-3, 3, 17), (15, -1, 19)), ((21, -2, 20), (26, -5, 20.5)), ((31, -6.5, 21), (36, -8, 21.5))),
        (4.7, ((-14, 1, 31), (2, -2, 32)), ((7.5, -3, 32), (12, -5.5, 32)), ((16.5, -6.5, 32), (21, -8, 32))))
    return Union(3, *[Union(3, *[bone(p, q, thick * (1 - 0.12 * i)) for i, (p, q) in enumerate(line)])
                      for thick, *line in digits])


# name of the mesh, body, shape, sided or not, Euler number; "sided" ones are made for both sides,
# left as the mirror of right. Holes: canals and foramina of the vertebrae, the obturator foramen.
# The lumbar's frame is the pelvis'.
BONES = (("lumbar", "lumbar", lumbar, False, 0), ("sacrum", "pelvis", sacrum, False, -14),
         ("hip_bone", "pelvis", hip_bone, True, 0), ("femur", "femur", femur, True, 2),
         ("patella", "patella", patella, True, 2), ("tibia", "tibia", tibia, True, 2),
         ("fibula", "tibia", fibula, True, 2), ("talus", "talus", talus, True, 2),
         ("foot", "calcn", foot, True, 2), ("toes", "toes", toes, True, 10))

# name, body, a place near it, whether it is moved onto the surface. Those of the pelvis with a side
# are given for the right; the left is the mirror image. Names: docs/landmarks.md.
LANDMARKS = (
    ("asis", "pelvis", (8, 0, 131), True), ("psis", "pelvis", (-160, 38, 50), True),
    ("aiis", "pelvis", (-24, -44, 99), True), ("iliac_crest_top", "pelvis", (-95, 102, 95), True),
    ("iliac_crest_side", "pelvis", (-42, 52, 148), True),
    ("pubic_tubercle", "pelvis", (-22, -77, 22), True),
    ("ischial_spine", "pelvis", (-126, -54, 44), True),
    ("ischial_tuberosity", "pelvis", (-118, -118, 52), True), ("hip_center", "pelvis", HIP, False),
    ("pubic_symphysis", "pelvis", (-36, -96, 0), False),
    ("sacral_promontory", "pelvis", (-78, 68, 0), True),
    ("hip_center", "femur", (0, 0, 0), False), ("femoral_head_top", "femur", (0, HEAD_RADIUS, 0), True),
    ("greater_trochanter", "femur", (-18, -26, 70), True),
    ("greater_trochanter_top", "femur", (-26, 4, 45), True),
    ("lesser_trochanter", "femur", (-26, -63, 10), True),
    ("shaft_proximal", "femur", (0, -105, 32), False), ("shaft_middle", "femur", (13, -200, 26), False),
    ("shaft_distal", "femur", (12, -300, 13), False),
    ("medial_epicondyle", "femur", (-6, -394, -46), True),
    ("lateral_epicondyle", "femur", (-6, -397, 46), True), ("knee_center", "femur", KNEE, False),
    ("medial_condyle_posterior", "femur", (KNEE[0] - CONDYLE_RADIUS, KNEE[1], -24), True),
    ("lateral_condyle_posterior", "femur", (KNEE[0] - CONDYLE_RADIUS, KNEE[1], 24), True),
    ("medial_condyle_distal", "femur", (KNEE[0], KNEE[1] - CONDYLE_RADIUS, -24), True),
    ("lateral_condyle_distal", "femur", (KNEE[0], KNEE[1] - CONDYLE_RADIUS, 24), True),
    ("intercondylar_notch", "femur", (-4, -419, 0), True),
    ("medial_condyle", "tibia", (-6, -50, -44), True), ("lateral_condyle", "tibia", (-8, -50, 44), True),
    ("medial_plateau", "tibia", (-6, PLATEAU, -22), True),
    ("lateral_plateau", "tibia", (-8, PLATEAU, 22), True), ("tibial_tuberosity", "tibia", TUBEROSITY, True),
    ("shaft_middle", "tibia", (5, -230, -4), False), ("fibular_head", "tibia", (-28, -42, 36), True),
    ("medial_malleolus", "tibia", (2, -428, -34), True), ("lateral_malleolus", "tibia", (-9, -430, 38), True),
    ("medial_malleolus_tip", "tibia", (2, -440, -26), True),
    ("lateral_malleolus_tip", "tibia", (-9, -448, 27.5), True), ("ankle_center", "tibia", ANKLE, False),
    ("patella_base", "patella", (0, 22, 0), True), ("patella_apex", "patella", (-0.5, -24, 0), True),
    ("ankle_center", "talus", (0, 0, 0), False), ("trochlea_top", "talus", (0, TALUS_RADIUS, 2), True),
    ("talar_head_front", "talus", (43, -20, -14), True), ("posterior_process", "talus", (-26, -16, 5), True),
    ("heel_back", "calcn", (0, 10, -3), True), ("heel_bottom", "calcn", (17, -10, -3), True),
    ("first_metatarsal_head", "calcn", (195, -7, -28), True),
    ("fifth_metatarsal_head", "calcn", (158, -6, 36), True),
    ("fifth_metatarsal_base", "calcn", (65, 15, 38), True),
    ("great_toe_tip", "toes", (76, -6, -20), True), ("fifth_toe_tip", "toes", (26, -9, 32), True))
