"""Writes a surface as STL, OBJ, PLY or VTP, in plain text. Faces have three or more corners; OBJ, PLY
and VTP keep them, STL has triangles."""


def text(x, digits):
    s = "%.*f" % (digits, x)
    s = s.rstrip("0").rstrip(".") if "." in s else s
    return "0" if s in ("-0", "") else s


def triangles(faces):
    return [(f[0], f[i], f[i + 1]) for f in faces for i in range(1, len(f) - 1)]


def stl(name, vertices, faces):
    yield "solid %s" % name
    for t in triangles(faces):
        a, b, c = (vertices[i] for i in t)
        u = [float(q) - float(p) for p, q in zip(a, b)]
        v = [float(q) - float(p) for p, q in zip(a, c)]
        n = (u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0])
        size = sum(x * x for x in n) ** 0.5 or 1.0
        yield "facet normal %s" % " ".join(text(x / size, 5) for x in n)
        yield "outer loop"
        for p in (a, b, c):
            yield "vertex " + " ".join(p)
        yield "endloop"
        yield "endfacet"
    yield "endsolid %s" % name


def obj(name, vertices, faces):
    yield "# %s, made by models/standard" % name
    for v in vertices:
        yield "v " + " ".join(v)
    for f in faces:
        yield "f " + " ".join(str(i + 1) for i in f)


def ply(name, vertices, faces):
    yield "ply\nformat ascii 1.0\ncomment %s, made by models/standard" % name
    yield "element vertex %d\nproperty float x\nproperty float y\nproperty float z" % len(vertices)
    yield "element face %d\nproperty list uchar int vertex_indices\nend_header" % len(faces)
    for v in vertices:
        yield " ".join(v)
    for f in faces:
        yield " ".join(str(i) for i in (len(f),) + tuple(f))


def vtp(name, vertices, faces):
    yield '<?xml version="1.0"?>\n<!-- %s, made by models/standard -->' % name
    yield '<VTKFile type="PolyData" version="0.1" byte_order="LittleEndian">\n<PolyData>'
    yield '<Piece NumberOfPoints="%d" NumberOfVerts="0" NumberOfLines="0" NumberOfStrips="0" ' \
        'NumberOfPolys="%d">' % (len(vertices), len(faces))
    yield '<Points>\n<DataArray type="Float32" NumberOfComponents="3" format="ascii">'
    for v in vertices:
        yield " ".join(v)
    yield '</DataArray>\n</Points>\n<Polys>\n<DataArray type="Int32" Name="connectivity" format="ascii">'
    total, ends = 0, []
    for f in faces:
        total += len(f)
        ends.append(str(total))
        yield " ".join(map(str, f))
    yield '</DataArray>\n<DataArray type="Int32" Name="offsets" format="ascii">'
    yield " ".join(ends)
    yield "</DataArray>\n</Polys>\n</Piece>\n</PolyData>\n</VTKFile>"


FORMATS = {"stl": stl, "obj": obj, "ply": ply, "vtp": vtp}


def write(path, name, vertices, faces, digits):
    """`digits` decimals of each coordinate are written."""
    lines = FORMATS[path.rsplit(".", 1)[1]](
        name, [[text(x, digits) for x in v] for v in vertices], faces)
    with open(path, "w", encoding="ascii") as file:
        for line in lines:
            file.write(line + "\n")
