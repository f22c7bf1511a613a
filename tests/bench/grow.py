#!/usr/bin/python3
"""Grows a model: grow.py MODEL.osim BYTES > LARGER.osim

The muscles of its ForceSet are repeated under new names ("biceps_2", ..) until the file has about BYTES
bytes. All else stays, line for line."""
import re
import sys


def muscles_of(text, begin, end):
    """The muscles among the objects of text[begin:end], each with the blanks before it: [(name, xml)]."""
    found = []
    pattern = re.compile(r'[ \t]*<(\w*Muscle\w*) name="([^"]+)">.*?</\1>\n', re.S)
    for match in pattern.finditer(text, begin, end):
        found.append((match.group(2), match.group(0)))
    return found


def grow(text, size):
    begin = text.index("<ForceSet")
    end = text.index("</ForceSet>")
    muscles = muscles_of(text, begin, end)
    if not muscles:
        raise ValueError("its ForceSet has no muscles")
    place = text.index(muscles[-1][1]) + len(muscles[-1][1])
    pieces = []
    total = len(text)
    copy = 1
    while total < size:
        copy += 1
        for name, xml in muscles:
            piece = xml.replace('name="%s"' % name, 'name="%s_%d"' % (name, copy), 1)
            pieces.append(piece)
            total += len(piece)
            if total >= size:
                break
    return text[:place] + "".join(pieces) + text[place:]


def main():
    if len(sys.argv) != 3:
        print("usage: grow.py MODEL.osim BYTES", file=sys.stderr)
        return 2
    with open(sys.argv[1], encoding="utf-8") as file:
        sys.stdout.write(grow(file.read(), int(sys.argv[2])))
    return 0


if __name__ == "__main__":
    sys.exit(main())
