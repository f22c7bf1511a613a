#!/usr/bin/python3
"""Checks of a collection of OpenSim models: corpus.py BUILD CORPUS

CORPUS/corpus/osim/*.osim: each must be read, but for two that are none; written and read again it must
be the same; every document must follow the schema. CORPUS/ref/MODEL/info.tsv and states.sto are what
OpenSim says of a model: counts, total mass, and the default pose, where no constraint changes it.
Ends with the line `N passed, M failed`."""
import glob
import json
import os
import subprocess
import sys

from jsonschema import Draft202012Validator

from validate import first_violation

REFUSED = ("1219_", "1730_")  # a scale set; a file without version and with dangling references
SLAVE_BODIES = {"0263_": 1}  # OpenSim counts the copies that it makes of bodies to cut loops
REPAIRED = {"1112_": "FB1104", "0842_": "FB1105"}  # what is put right with a warning


class Checks:
    """Counts checks, and says which failed."""

    def __init__(self):
        self.passed = self.failed = 0

    def check(self, ok, what):
        if ok:
            self.passed += 1
        else:
            self.failed += 1
            print("corpus: failed: %s" % what)
        return ok


def run(*command, data=None):
    return subprocess.run(command, input=data, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)


def without_steps(text):
    document = json.loads(text)
    document.pop("steps", None)
    return document


def coordinates_of(document):
    """Component path -> default value."""
    found = {}
    for joint in document.get("joints", []):
        path = joint.get("component_path", "/jointset/" + joint["name"])
        for coordinate in joint.get("coordinates", []):
            name = coordinate.get("component_path", coordinate["name"]).split("/")[-1]
            found[path + "/" + name] = coordinate.get("default", 0)
    return found


def read_info(path):
    with open(path, encoding="utf-8") as file:
        return dict(line.rstrip("\n").split("\t")[:2] for line in file if "\t" in line)


def read_first_row(path):
    """Column -> value in the first row of a .sto table."""
    with open(path, encoding="utf-8") as file:
        lines = file.read().split("endheader", 1)[1].strip("\n").split("\n")
    return dict(zip(lines[0].split("\t"), lines[1].split("\t")))


def check_against_opensim(checks, folder, name, document):
    info = read_info(os.path.join(folder, "info.tsv"))
    mass = sum(body.get("mass", 0) for body in document["bodies"])
    counts = {"coordinates": len(coordinates_of(document)), "bodies": len(document["bodies"]),
              "muscles": len(document["muscles"]), "markers": len(document.get("markers", []))}
    counts["bodies"] += SLAVE_BODIES.get(name[:5], 0)
    for key, value in counts.items():
        if key in info:
            checks.check(value == int(info[key]), "%s: %d %s, OpenSim has %s" % (name, value, key, info[key]))
    want = float(info.get("total_mass", mass))
    checks.check(abs(mass - want) <= 1e-6 * max(abs(want), 1e-300),
                 "%s: total mass %.9g, OpenSim has %.9g" % (name, mass, want))
    if document.get("constraints") or not os.path.exists(os.path.join(folder, "states.sto")):
        return
    ours = coordinates_of(document)
    for column, text in read_first_row(os.path.join(folder, "states.sto")).items():
        path = column[:-len("/value")]
        if column.endswith("/value") and path in ours:
            value, want = ours[path], float(text)
            checks.check(abs(value - want) <= 1e-9 + 1e-6 * abs(want),
                         "%s: %s is %.9g by default, OpenSim has %.9g" % (name, path, value, want))
        elif column.endswith("/value"):
            checks.check(False, "%s: there is no coordinate %s" % (name, path))


def check_model(checks, build, validator, file, ref):
    name = os.path.basename(file)[:-len(".osim")]
    first = run(build + "/osim2fb", file)
    if name.startswith(REFUSED):
        checks.check(first.returncode == 3 and first.stderr and not first.stdout,
                     "%s: status %d, wanted 3 and a message" % (name, first.returncode))
        return
    if not checks.check(first.returncode == 0, "%s: status %d: %s" %
                        (name, first.returncode, first.stderr.decode()[:300])):
        return
    for prefix, diagnosis in REPAIRED.items():
        if name.startswith(prefix):
            checks.check(diagnosis.encode() in first.stderr, "%s: no %s" % (name, diagnosis))
    document = json.loads(first.stdout)
    problem = first_violation(validator, document)
    checks.check(problem is None, "%s: schema: %s" % (name, problem))
    back = run(build + "/fb2osim", data=first.stdout)
    again = run(build + "/osim2fb", "-q", data=back.stdout)
    if checks.check(back.returncode == 0 and again.returncode == 0, "%s: fb2osim %d, osim2fb %d: %s" % (
            name, back.returncode, again.returncode, (back.stderr + again.stderr).decode()[:300])):
        checks.check(without_steps(again.stdout) == without_steps(first.stdout),
                     "%s: another document after fb2osim and osim2fb" % name)
        checks.check(run("xmllint", "--noout", "-", data=back.stdout).returncode == 0,
                     "%s: fb2osim wrote bad XML" % name)
    if os.path.isdir(os.path.join(ref, name)):
        check_against_opensim(checks, os.path.join(ref, name), name, document)


def main():
    if len(sys.argv) != 3:
        print("usage: corpus.py BUILD CORPUS")
        return 2
    build, corpus = sys.argv[1:]
    with open("docs/fb.schema.json", encoding="utf-8") as file:
        validator = Draft202012Validator(json.load(file))
    checks = Checks()
    files = sorted(glob.glob(os.path.join(corpus, "corpus", "osim", "*.osim")))
    checks.check(len(files) > 0, "no models in %s" % corpus)
    for file in files:
        check_model(checks, build, validator, file, os.path.join(corpus, "ref"))
    print("corpus: %d models: %d passed, %d failed" % (len(files), checks.passed, checks.failed))
    return 1 if checks.failed else 0


if __name__ == "__main__":
    sys.exit(main())
