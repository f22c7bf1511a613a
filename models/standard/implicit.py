"""Closed surfaces from blended shapes: an implicit function, and a mesh of where it is zero.

A shape is a function of a point that is negative inside and changes by at most about 1 per unit of
length. Shapes are joined with fillets (`Union`) and taken out of each other (`Minus`), and
`mesh()` puts a vertex into each cell of a grid that the surface crosses (surface nets: Gibson 1998),
then moves it onto the surface by Newton's method, so that the vertices of a sphere lie on the sphere.

Only the standard library is used. Points are tuples of three floats."""
from math import sqrt, floor


def add(a, b):
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


def sub(a, b):
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


def along(p, k, d):
    return (p[0] + k * d[0], p[1] + k * d[1], p[2] + k * d[2])


def mix(a, b, k):
    return tuple(p + (q - p) * k for p, q in zip(a, b))


def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def length(a):
    return sqrt(dot(a, a))


def unit(a):
    n = length(a)
    return (a[0] / n, a[1] / n, a[2] / n)


class Shape:
    """value(p) is the function; near(c, r) is (value at c, what is left of the shape within r of c)."""
    box = None  # (lowest corner, highest corner)

    def value(self, p):
        raise NotImplementedError

    def near(self, c, r):
        return self.value(c), self


class Ball(Shape):
    def __init__(self, center, radius):
        self.center, self.radius = tuple(center), radius
        self.box = (along(center, -radius, (1, 1, 1)), along(center, radius, (1, 1, 1)))

    def value(self, p):
        c = self.center
        x, y, z = p[0] - c[0], p[1] - c[1], p[2] - c[2]
        return sqrt(x * x + y * y + z * z) - self.radius


class Egg(Shape):
    """An ellipsoid: semi-axes along the unit vectors u, v, u x v. Its value is the distance to
    first order; it is exact on the surface and its gradient is about 1 near it."""

    def __init__(self, center, semi, u=(1, 0, 0), v=(0, 1, 0)):
        u = unit(u)
        w = unit(cross(u, v))
        v = cross(w, u)
        self.center, self.rows = tuple(center), [
            tuple(x / s for x in axis) for axis, s in zip((u, v, w), semi)]
        self.second = [tuple(x / s for x in row) for row, s in zip(self.rows, semi)]
        self.least = min(semi)
        r = max(semi)
        self.box = (along(center, -r, (1, 1, 1)), along(center, r, (1, 1, 1)))

    def value(self, p):
        d = sub(p, self.center)
        a = [dot(row, d) for row in self.rows]
        b = [dot(row, d) for row in self.second]
        k = length(a)
        n = length(b)
        return k * (k - 1) / n if n > 1e-9 else -self.least


class Limb(Shape):
    """From p to q, round, with radius r there and s here; `flat` squeezes it: (direction, factor)."""

    def __init__(self, p, q, r, s, flat=None):
        self.p, self.d, self.r, self.s = tuple(p), sub(q, p), r, s
        self.dd = dot(self.d, self.d)
        self.flat = None
        if flat:
            t = unit(self.d)
            v = unit(along(flat[0], -dot(flat[0], t), t))
            self.flat = (v, 1 / flat[1] - 1, flat[1])
        big = max(r, s) * 1.05
        self.box = (tuple(min(a, b) - big for a, b in zip(p, q)),
                    tuple(max(a, b) + big for a, b in zip(p, q)))

    def value(self, p):
        q = self.p
        x, y, z = p[0] - q[0], p[1] - q[1], p[2] - q[2]
        a, b, c = self.d
        h = (x * a + y * b + z * c) / self.dd
        h = 0.0 if h < 0 else 1.0 if h > 1 else h
        x -= h * a
        y -= h * b
        z -= h * c
        if self.flat:  # stretched so that the flat side counts as much as the wide one
            (a, b, c), k, scale = self.flat
            m = (x * a + y * b + z * c)
            n = m * k
            x += n * a
            y += n * b
            z += n * c
            r = self.r + h * (self.s - self.r)
            far = sqrt(x * x + y * y + z * z)
            value = far - r
            if far > 0:  # to first order a distance: divided by the length of the gradient
                value /= sqrt(1 + (m * (1 + k) / far) ** 2 * ((1 + k) ** 2 - 1))
            return value
        return sqrt(x * x + y * y + z * z) - (self.r + h * (self.s - self.r))


class Can(Shape):
    """A cylinder from p to q with radius r; its edges are rounded by e."""

    def __init__(self, p, q, r, e=0.0):
        self.p, self.axis, self.long = tuple(p), unit(sub(q, p)), length(sub(q, p))
        self.r, self.e = r, e
        self.box = (tuple(min(a, b) - r for a, b in zip(p, q)),
                    tuple(max(a, b) + r for a, b in zip(p, q)))

    def value(self, p):
        d = sub(p, self.p)
        h = dot(d, self.axis)
        across = sqrt(max(dot(d, d) - h * h, 0.0))
        a = across - self.r + self.e
        b = abs(h - self.long / 2) - self.long / 2 + self.e
        outside = sqrt(max(a, 0.0) ** 2 + max(b, 0.0) ** 2)
        return outside + min(max(a, b), 0.0) - self.e


class Scale(Shape):
    """A triangle with a thickness: a flat piece of bone, half as thick as t tells at its corners."""

    def __init__(self, a, b, c, t):
        self.a, self.ab, self.ac, self.t = tuple(a), sub(b, a), sub(c, a), t
        self.bc = sub(c, b)
        self.d11, self.d12, self.d22 = (dot(self.ab, self.ab), dot(self.ab, self.ac),
                                        dot(self.ac, self.ac))
        self.det = self.d11 * self.d22 - self.d12 * self.d12
        self.bcbc = dot(self.bc, self.bc)
        big = max(t)
        self.box = (tuple(min(x) - big for x in zip(a, b, c)),
                    tuple(max(x) + big for x in zip(a, b, c)))

    def value(self, p):
        a, u, w = self.a, self.ab, self.ac
        x, y, z = p[0] - a[0], p[1] - a[1], p[2] - a[2]
        e = x * u[0] + y * u[1] + z * u[2]
        f = x * w[0] + y * w[1] + z * w[2]
        i = (self.d22 * e - self.d12 * f) / self.det
        j = (self.d11 * f - self.d12 * e) / self.det
        if i < 0 or j < 0 or i + j > 1:  # nearest on an edge
            e = e / self.d11
            e = 0.0 if e < 0 else 1.0 if e > 1 else e
            f = f / self.d22
            f = 0.0 if f < 0 else 1.0 if f > 1 else f
            g = dot((x - u[0], y - u[1], z - u[2]), self.bc) / self.bcbc
            g = 0.0 if g < 0 else 1.0 if g > 1 else g
            best = 1e18
            for k, m in ((e, 0.0), (0.0, f), (1 - g, g)):
                n = ((x - k * u[0] - m * w[0]) ** 2 + (y - k * u[1] - m * w[1]) ** 2
                     + (z - k * u[2] - m * w[2]) ** 2)
                if n < best:
                    best, i, j = n, k, m
            far = sqrt(best)
        else:
            far = sqrt((x - i * u[0] - j * w[0]) ** 2 + (y - i * u[1] - j * w[1]) ** 2
                       + (z - i * u[2] - j * w[2]) ** 2)
        t = self.t
        return far - (t[0] + i * (t[1] - t[0]) + j * (t[2] - t[0]))


class Sheet(Shape):
    """A blade of many flat pieces, each with the ball around it, so that most are passed over."""

    def __init__(self, scales):
        self.parts = []
        for s in scales:
            c = tuple((a + b) / 2 for a, b in zip(*s.box))
            self.parts.append((c, length(sub(s.box[1], c)), s))
        self.box = Union(0, *scales).box

    def value(self, p):
        best = 1e9
        x, y, z = p
        for c, r, s in self.parts:
            reach = best + r
            if reach < 0:
                continue
            a, b, d = x - c[0], y - c[1], z - c[2]
            if a * a + b * b + d * d < reach * reach:
                v = s.value(p)
                if v < best:
                    best = v
        return best

    def near(self, c, r):
        best = self.value(c)
        left = Sheet.__new__(Sheet)
        far = [(length(sub(c, part[0])) - part[1], i) for i, part in enumerate(self.parts)]
        left.parts = [self.parts[i] for d, i in sorted(far) if d <= best + 2.2 * r]
        return best, left


class Union(Shape):
    """Shapes joined with fillets of radius about k; the least value where k is 0."""

    def __init__(self, k, *shapes):
        self.k, self.shapes = k, shapes
        boxes = [s.box for s in shapes]
        self.box = (tuple(min(b[0][i] for b in boxes) for i in range(3)),
                    tuple(max(b[1][i] for b in boxes) for i in range(3)))

    def blend(self, values):
        k = self.k
        best = None
        for v in values:
            if best is None:
                best = v
            elif k and abs(best - v) < k:
                h = (k - abs(best - v)) / k
                best = (best if best < v else v) - h * h * k / 4
            elif v < best:
                best = v
        return best

    def value(self, p):
        return self.blend([s.value(p) for s in self.shapes])

    def near(self, c, r):
        parts = [s.near(c, r) for s in self.shapes]
        best = self.blend([v for v, s in parts])
        kept = [s for v, s in parts if v <= best + 2.6 * r + self.k]
        if len(kept) == 1:
            return best, kept[0]
        left = Union.__new__(Union)
        left.k, left.shapes = self.k, kept
        return best, left


class Minus(Shape):
    """The first shape without the others, edges rounded by about k."""

    def __init__(self, k, shape, *others):
        self.k, self.shape, self.others, self.box = k, shape, others, shape.box

    def join(self, value, others):
        k = self.k
        for v in others:
            v = -v
            if k and abs(value - v) < k:
                h = (k - abs(value - v)) / k
                value = (value if value > v else v) + h * h * k / 4
            elif v > value:
                value = v
        return value

    def value(self, p):
        return self.join(self.shape.value(p), [s.value(p) for s in self.others])

    def near(self, c, r):
        value, shape = self.shape.near(c, r)
        parts = [s.near(c, r) for s in self.others]
        kept = [s for v, s in parts if -v >= value - 2.6 * r - self.k]
        best = self.join(value, [v for v, s in parts])
        if not kept:
            return best, shape
        left = Minus.__new__(Minus)
        left.k, left.shape, left.others = self.k, shape, kept
        return best, left


class Intersect(Minus):
    """What is in both: the first without the outside of the others."""

    def value(self, p):
        return self.join(self.shape.value(p), [-s.value(p) for s in self.others])

    def near(self, c, r):
        value, shape = self.shape.near(c, r)
        left = Intersect.__new__(Intersect)
        left.k, left.shape, left.others = self.k, shape, self.others
        return self.value(c), left


class Grown(Shape):
    """A shape at another place, thicker by this much."""

    def __init__(self, shape, shift, more):
        self.shape, self.shift, self.more = shape, shift, more

    def value(self, p):
        return self.shape.value(sub(p, self.shift)) - self.more

    def near(self, c, r):
        value, shape = self.shape.near(sub(c, self.shift), r)
        return value - self.more, Grown(shape, self.shift, self.more)


def gradient(shape, p, h=0.05):
    x, y, z = p
    f = shape.value
    return ((f((x + h, y, z)) - f((x - h, y, z))) / (2 * h),
            (f((x, y + h, z)) - f((x, y - h, z))) / (2 * h),
            (f((x, y, z + h)) - f((x, y, z - h))) / (2 * h))


def onto(shape, p, steps=40, level=0.0):
    """The point of the surface (where the value is `level`) that Newton's method meets from p."""
    for _ in range(steps):
        v = shape.value(p) - level
        if abs(v) < 1e-4:
            break
        g = gradient(shape, p)
        n = dot(g, g)
        if n < 1e-6:
            break
        p = along(p, -v / n, g)
    return p


def fall(shape, p, limit):
    """A point of the grid's cell moved onto the surface, straight along the gradient there."""
    h = 0.05
    v = shape.value(p)
    g = tuple((shape.value(along(p, h, axis)) - v) / h for axis in ((1, 0, 0), (0, 1, 0), (0, 0, 1)))
    n = dot(g, g)
    if n < 0.01:
        return p
    moved = 0.0
    for _ in range(6):
        k = max(-limit - moved, min(limit - moved, -v / n))
        moved += k
        p = along(p, k, g)
        if abs(v) < 1e-4 or abs(moved) >= limit:
            break
        v = shape.value(p)
    return p


def leaves(shape, cell):
    """Cells of the grid that the surface may cross, in cubes of two a side, with what is near each."""
    low, high = shape.box
    size = 2 * cell
    start = tuple(floor((a - 2 * cell) / size) for a in low)
    stop = tuple(floor((a + 2 * cell) / size) + 1 for a in high)
    span = 1
    while span < max(b - a for a, b in zip(start, stop)):
        span *= 2
    todo = [(start, span, shape)]
    while todo:
        (i, j, k), n, part = todo.pop()
        half = n * size / 2
        r = half * 1.7321
        c = (i * size + half, j * size + half, k * size + half)
        value, part = part.near(c, r + 0.3 * cell)
        if abs(value) > 1.3 * r:
            continue
        if n == 1:
            yield (i * 2, j * 2, k * 2), part
        else:
            n //= 2
            todo += [((i + a * n, j + b * n, k + d * n), n, part)
                     for a in (0, 1) for b in (0, 1) for d in (0, 1)]


CORNERS = [(a, b, c) for a in (0, 1) for b in (0, 1) for c in (0, 1)]
EDGES = [(0, 1), (2, 3), (4, 5), (6, 7), (0, 2), (1, 3), (4, 6), (5, 7), (0, 4), (1, 5), (2, 6), (3, 7)]
EDGE_OF = {edge: i for i, edge in enumerate(EDGES)}
FACES = [[i for i in range(8) if CORNERS[i][axis] == side] for axis in range(3) for side in (0, 1)]


def patches(inside):
    """The pieces of surface in a cell whose corners are inside or not: lists of crossed edges.
    On a face crossed four times each corner that is inside is cut off by itself, as seen from both
    of the face's cells."""
    crossed = [i for i, (p, q) in enumerate(EDGES) if inside[p] != inside[q]]
    piece = {i: i for i in crossed}

    def join(i, j):
        i, j = piece[i], piece[j]
        for k in crossed:
            if piece[k] == j:
                piece[k] = i
    for face in FACES:
        there = [i for i in crossed if EDGES[i][0] in face and EDGES[i][1] in face]
        if len(there) == 2:
            join(*there)
        elif there:
            for corner in face:
                if inside[corner]:
                    join(*[i for i in there if corner in EDGES[i]])
    return [[i for i in crossed if piece[i] == k] for k in sorted(set(piece.values()))]


def mesh(shape, cell, euler):
    """Vertices and four-cornered faces, outwards and closed, of the surface on a grid of about this
    width. `euler` is the surface's Euler number: two for each piece, less two for each hole through
    it. Where the grid is too wide to tell it right, finer ones are tried."""
    for attempt in range(40):
        vertices, faces = net(shape, cell * 0.97 ** attempt)
        if len(vertices) - len(faces) == euler and flaws(faces) == 0:
            return vertices, faces
    raise ValueError("no closed surface on a grid of %g" % cell)


def net(shape, cell):
    """Surface nets on a grid of this width, with a vertex for each piece of surface in a cell."""
    values, nodes, known = {}, {}, {}
    found = []  # (cell, which piece), place, shape near it

    def value(node, part):
        v = values.get(node)
        if v is None:
            v = values[node] = part.value((node[0] * cell, node[1] * cell, node[2] * cell)) or 1e-9
        return v

    for (i, j, k), part in leaves(shape, cell):
        for at in [(i + a, j + b, k + c) for a in (0, 1) for b in (0, 1) for c in (0, 1)]:
            corner = [value((at[0] + x, at[1] + y, at[2] + z), part) for x, y, z in CORNERS]
            inside = tuple(v < 0 for v in corner)
            if inside not in known:
                known[inside] = patches(inside)
            for n, edges in enumerate(known[inside]):
                total = [0.0, 0.0, 0.0]
                for e in edges:
                    p, q = EDGES[e]
                    t = corner[p] / (corner[p] - corner[q])
                    for axis in range(3):
                        total[axis] += CORNERS[p][axis] + t * (CORNERS[q][axis] - CORNERS[p][axis])
                    nodes[at, e] = (at, n)
                found.append(((at, n), tuple((g + t / len(edges)) * cell
                                             for g, t in zip(at, total)), part))
    found.sort(key=lambda f: f[0])
    index = {f[0]: i for i, f in enumerate(found)}
    vertices = [fall(part, p, 0.45 * cell) for _, p, part in found]
    faces = []
    for at, n in index:
        if n:
            continue
        v0 = values[at]
        for axis, one, two in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
            step = [int(i == axis) for i in range(3)]
            v1 = values.get((at[0] + step[0], at[1] + step[1], at[2] + step[2]))
            if v1 is None or (v0 < 0) == (v1 < 0):
                continue
            ring = []
            for a, b in ((0, 0), (1, 0), (1, 1), (0, 1)):
                other, start = list(at), [0, 0, 0]
                other[one] -= a
                other[two] -= b
                start[one], start[two] = a, b
                p = 4 * start[0] + 2 * start[1] + start[2]
                q = p + 4 * step[0] + 2 * step[1] + step[2]
                ring.append(index[nodes[tuple(other), EDGE_OF[p, q]]])
            faces.append(tuple(ring) if v0 < 0 else tuple(reversed(ring)))
    return vertices, faces


def flaws(faces):
    """Number of edges that do not have one face on each side, turned alike; and of vertices at
    which the surface touches itself."""
    seen, bad, around = {}, 0, {}
    for face in faces:
        for a, b in zip(face, face[1:] + face[:1]):
            bad += (a, b) in seen
            seen[(a, b)] = True
        n = len(face)
        for i in range(n):
            around.setdefault(face[i], []).append((face[i - 1], face[(i + 1) % n]))
    bad += sum((b, a) not in seen for a, b in seen)
    for fan in around.values():
        step = dict(fan)
        start = at = fan[0][0]
        for n in range(1, len(fan) + 1):
            at = step.get(at)
            if at in (start, None):
                break
        bad += at != start or n != len(fan)
    return bad


def volume(vertices, faces):
    total = 0.0
    for face in faces:
        for i in range(1, len(face) - 1):
            a, b, c = (vertices[face[k]] for k in (0, i, i + 1))
            total += dot(a, cross(b, c))
    return total / 6
