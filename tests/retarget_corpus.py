#!/usr/bin/env python3
"""Retargets the standard bodies of a corpus to its skeletons, and measures what comes out.

usage: retarget_corpus.py BUILD SHARED WORK [PART ..]

BUILD has the tools, SHARED the corpus and its checkers; WORK, a folder that is there, gets all
that is made. Parts: bars (the errors of attachments), same (one man's femur from two sources; a
body on itself), scans (every scan from every other), noise, speed; all unless named. Prints a line for each
figure; status 1 if one is beyond its bar.
"""
import csv, itertools, json, math, os, random, re, subprocess, sys, time

BUILD, SHARED, WORK = sys.argv[1:4]
PARTS = sys.argv[4:] or ["bars", "same", "scans", "noise", "speed"]
SKELETONS = os.path.join(SHARED, "corpus/skeletons")
CHECK = os.path.join(SHARED, "check")
passed = failed = 0


def path(*parts):
    return os.path.join(SKELETONS, *parts)


def tell(good, text):
    global passed, failed
    passed += good
    failed += not good
    print(("ok    " if good else "FAIL  ") + text, flush=True)


def run(*command, ok=(0,)):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode not in ok:
        print("FAIL  " + " ".join(command), done.stderr.strip()[-2000:], sep="\n", flush=True)
        return None
    return done


def folder(name, unit, meshes):
    """A folder of links to meshes, with its list: {body: [files]}."""
    where = os.path.join(WORK, name)
    os.makedirs(where, exist_ok=True)
    listed = []
    for body, files in meshes.items():
        for file in files:
            link = os.path.join(where, os.path.basename(file))
            if not os.path.exists(link):
                os.symlink(os.path.abspath(file), link)
            listed.append({"file": os.path.basename(file), "body": body})
    with open(os.path.join(where, "meshes.json"), "w") as f:
        json.dump({"unit": unit, "meshes": listed}, f)
    return where


def lhdl():
    bones = {"pelvis": ["hip_r", "hip_l", "sacrum"], "femur_r": ["femur_r"], "patella_r": ["patella_r"],
             "tibia_r": ["tibia_r", "fibula_r"]}
    return folder("lhdl", "mm", {b: [path("lhdl/bones", m + ".ply") for m in n] for b, n in bones.items()})


def retarget(name, model, skeleton, *options):
    """Runs retarget; the new model as .osim, its report and its pairs, and the seconds it took."""
    out = {k: os.path.join(WORK, name + "." + k) for k in ("fb", "osim", "json", "csv")}
    begun = time.time()
    done = run(os.path.join(BUILD, "retarget"), "-q", "--skeleton", skeleton, "--report", out["json"],
               "--features-out", out["csv"], *options, model, "-o", out["fb"])
    out["seconds"] = time.time() - begun
    if not done or not run(os.path.join(BUILD, "fb2osim"), "-q", out["fb"], "-o", out["osim"]):
        return None
    out["report"] = json.load(open(out["json"]))
    return out


def attachments(osim, truth, names, landmarks, *options):
    """Mean error of attachments in mm, and how many they are."""
    done = run(sys.executable, os.path.join(CHECK, "attachments.py"), osim, truth, "--map",
               os.path.join(CHECK, "maps", names), "--landmarks", landmarks, *options, ok=(0, 1))
    if not done:
        return math.nan, 0
    found = re.search(r"centroid: (\d+) comparisons, mean ([\d.]+)", done.stdout)
    with open(osim + ".attachments", "a") as f:
        f.write(done.stdout)
    return (float(found[2]), int(found[1])) if found else (math.nan, 0)


def bar(name, value, least, unit="mm"):
    tell(value <= least, f"{name}: {value:.3f} {unit} (bar {least})")


TLEM, PAIRS = path("tlem2/tlem2.osim"), path("tlem2_to_lhdl_landmarks.csv")


def rajagopal():
    where = os.path.join(SHARED, "corpus/osim")
    return next(os.path.join(where, f) for f in sorted(os.listdir(where)) if "Rajagopal2016" in f or "rajagopal2016" in f.lower())


def part_bars():
    skeleton, truth = lhdl(), path("lhdl/attachments.csv")
    for how, options, most in (("pairs, similarity", ["--pairs", PAIRS, "--transform", "similarity"], None),
                               ("pairs", ["--pairs", PAIRS], 10.9), ("auto", ["--auto"], 10.5)):
        made = retarget("tlem2_lhdl_" + re.sub(r"\W+", "_", how), TLEM, skeleton, *options)
        if made:
            error = attachments(made["osim"], truth, "tlem2_to_lhdl.tsv", made["csv"])[0]
            if most is None:  # for comparison
                print(f"      TLEM2 to LHDL, {how}: {error:.3f} mm")
            else:
                bar("TLEM2 to LHDL, " + how, error, most)
            print(f"      {made['seconds']:.2f} s")
    refused = run(os.path.join(BUILD, "retarget"), "-q", "--skeleton", skeleton, "--pairs", PAIRS,
                  "--transform", "tps", TLEM, "-o", os.path.join(WORK, "tps.fb"), ok=(0, 3))
    if refused:
        tell(refused.returncode == 3, "splines on few points are refused: " + refused.stderr.strip()[:200])
    made = retarget("raja_tlem2", rajagopal(), TLEM, "--auto", "-g", os.path.join(SHARED, "corpus/Geometry"))
    if made:
        far = [p["name"] for b in made["report"]["bodies"] if b["transform"] for p in b["points"]
               if (p["residual"] or 0) > 0.02]
        tell(not far, "landmarks that the surfaces contradict are left out: " + " ".join(far))
        truth = path("tlem2/attachments.csv")
        for name, extra, most in (("all 30", ["--all"], 15.0), ("the 25", [], 13.5)):
            value, _ = attachments(made["osim"], truth, "rajagopal2016_to_tlem2.tsv", made["csv"],
                                   "--only", "pelvis,femur_r", *extra)
            bar("Rajagopal2016 to TLEM2, " + name, value, most)
        print(f"      {made['seconds']:.2f} s")


def numbers(x, at=""):
    if isinstance(x, dict):
        for k, v in x.items():
            if k not in ("steps", "geometry", "appearance", "markers"):
                yield from numbers(v, at + "/" + k)
    elif isinstance(x, list):
        for i, v in enumerate(x):
            yield from numbers(v, f"{at}[{i}]")
    elif isinstance(x, (int, float)) and not isinstance(x, bool):
        yield at, float(x)


def differences(a, b):
    A, B = dict(numbers(json.load(open(a)))), dict(numbers(json.load(open(b))))
    worst, where = 0, ""
    for k, v in A.items():
        w = B.get(k)
        off = math.inf if w is None else abs(v - w) / max(abs(v), 1e-3)
        if off > worst:
            worst, where = off, k
    return worst, where


def part_same():
    scan = path("scans/TLEM2_CT")
    made = retarget("one_man", TLEM, os.path.join(scan, "automatic_TLEM2_CT.osim"), "--auto")
    for body in made["report"]["bodies"] if made else []:
        if body["name"] == "femur_r":
            bar("one man's femur, surfaces", 1e3 * body["surface_mean"], 0.75)
            bar("one man's femur, scale - 1", max(abs(s - 1) for s in body["scale"]), 0.001, "")
    geometry = ["-g", os.path.join(SHARED, "corpus/Geometry")]
    models = [TLEM, rajagopal(), path("lhdl/LHDL_hip_r.osim")]
    for model in models:
        name = os.path.basename(model)[:-5]
        before = os.path.join(WORK, name + "_before.fb")
        run(os.path.join(BUILD, "osim2fb"), "-q", model, "-o", before)
        for how in (["--auto"], ["--features-target", model, "--features-template", model, "--transform", "similarity"]):
            made = retarget(name + "_itself", model, model, *geometry, *how)
            if made:
                worst, where = differences(before, made["fb"])
                tell(worst <= 1e-12, f"{name} on itself, {how[0]}: differs by {worst:.1e} {where}")


def scans():
    return {"TLEM2": TLEM, "LHDL": lhdl(), "LHDL_CT": path("scans/LHDL_CT/automatic_LHDL_CT.osim"),
            "TLEM2_CT": path("scans/TLEM2_CT/automatic_TLEM2_CT.osim")}


def part_scans():
    """Every scan from every standard; where there are an expert's attachments or joints, their errors."""
    standards = {"TLEM2": TLEM, "Rajagopal2016": rajagopal(), "LHDL_hip_r": path("lhdl/LHDL_hip_r.osim")}
    truths = {("TLEM2", "LHDL"): ("lhdl/attachments.csv", "tlem2_to_lhdl.tsv"),
              ("Rajagopal2016", "LHDL"): ("lhdl/attachments.csv", "rajagopal2016_to_lhdl.tsv"),
              ("Rajagopal2016", "TLEM2"): ("tlem2/attachments.csv", "rajagopal2016_to_tlem2.tsv")}
    for (a, model), (b, skeleton) in itertools.product(standards.items(), scans().items()):
        if a == b or a == "LHDL_hip_r" and b == "LHDL":
            continue
        made = retarget(f"{a}_on_{b}", model, skeleton, "--auto", "-g", os.path.join(SHARED, "corpus/Geometry"))
        tell(made is not None, f"{a} on {b}")
        if not made:
            continue
        for body in made["report"]["bodies"]:
            if body["transform"]:
                print(f"      {body['name']:12} {body['transform']:10} scale " +
                      " ".join(f"{s:.3f}" for s in body["scale"]) +
                      f"  surface {1e3 * (body['surface_mean'] or 0):.2f} mm (similarity "
                      f"{1e3 * (body['surface_mean_similarity'] or 0):.2f})")
        if (a, b) in truths:
            truth, names = truths[a, b]
            only = ["--only", "pelvis,femur_r"] if b == "TLEM2" else []
            value, _ = attachments(made["osim"], path(truth), names, made["csv"], *only)
            print(f"      attachments: mean {value:.2f} mm")
        changed = [m["name"] for m in made["report"]["muscles"] if m["sign_changed"]]
        print(f"      moment arms change their sign in {len(changed)} of {len(made['report']['muscles'])} muscles: "
              f"{' '.join(changed[:6])}")


def part_noise():
    """2 mm on the target's landmarks (3-D root mean square): how far attachments move."""
    random.seed(1)
    rows = list(csv.DictReader(open(PAIRS)))
    skeleton = lhdl()
    true = retarget("noise_none", TLEM, skeleton, "--pairs", PAIRS, "--transform", "similarity")
    moved = []
    for k in range(5):
        noisy = os.path.join(WORK, f"noise{k}.csv")
        with open(noisy, "w", newline="") as f:
            w = csv.DictWriter(f, rows[0].keys())
            w.writeheader()
            for r in rows:
                w.writerow(dict(r, **{c: float(r[c]) + random.gauss(0, 0.002 / math.sqrt(3))
                                      for c in ("target_x", "target_y", "target_z")}))
        made = retarget(f"noise{k}", TLEM, skeleton, "--pairs", noisy, "--transform", "similarity")
        if not made:
            continue
        frames = [{b["name"]: b for b in m["report"]["bodies"] if b["transform"]} for m in (true, made)]
        a, b = (json.load(open(m["fb"])) for m in (true, made))
        for m, n in zip(a["muscles"], b["muscles"]):
            for p, q in zip(m["path"]["points"], n["path"]["points"]):
                if "location" in p and p["frame"] in frames[0]:
                    moved.append(math.dist(*(place(f[p["frame"]], x["location"]) for f, x in zip(frames, (p, q)))))
    bar("attachments under 2 mm of noise move by", 1e3 * sum(moved) / max(len(moved), 1), 1.5)


def place(body, p):
    R, o = body["frame_rotation"], body["frame_origin"]
    return [o[i] + sum(R[3 * i + k] * p[k] for k in range(3)) for i in range(3)]


def part_speed():
    made = retarget("speed_pairs", TLEM, lhdl(), "--pairs", PAIRS, "--transform", "similarity")
    if made:
        print(f"      landmarks given: {made['seconds']:.2f} s")
    made = retarget("speed_auto", TLEM, lhdl(), "--auto")
    if made:
        tell(made["seconds"] < 10, f"--auto takes {made['seconds']:.2f} s (bar 10)")


for part in PARTS:
    globals()["part_" + part]()
print(f"{passed} passed, {failed} failed")
sys.exit(failed > 0)
