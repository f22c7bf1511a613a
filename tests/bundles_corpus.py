"""Bundles of every muscle of every model: bundles_corpus.py BUILD CORPUS WORK

Each muscle of corpus/osim/*.osim gets bundles or a refusal that gives a reason, all within a
minute, with volumes and lengths that are kept; and for some of them check/bundlecheck.c, an
independent program, measures from the rings what fbgen prints. Prints what failed, the counts, and
`N passed, M failed`."""
import csv
import glob
import json
import math
import os
import subprocess
import sys

LIMIT = 60  # s of the processor, all models together
AGREE = 0.01  # of the half-height
MODELS = ('arm26', 'gait2392', 'wrist')  # some of whose muscles are measured by both
MUSCLES = 8  # of each

passed = failed = 0


def count(good, what):
    global passed, failed
    if good:
        passed += 1
    else:
        failed += 1
        print('bundles: failed: ' + what)
    return good


def fbgen(build, model, work, *more):
    """Status, messages and rows of the table; None if there is none."""
    table = os.path.join(work, 'bundles.tsv')
    if os.path.exists(table):
        os.remove(table)
    run = subprocess.run([os.path.join(build, 'fbgen'), '--no-arms', '--bundles', '60',
                          '--layers-per-bundle', '12', '--table', table, '-o', os.devnull, *more,
                          model], capture_output=True, text=True)
    rows = None
    if os.path.exists(table):
        with open(table, newline='') as file:
            rows = list(csv.DictReader(file, delimiter='\t', quoting=csv.QUOTE_NONE))
    return run.returncode, run.stderr, rows


def all_models(build, models, work):
    made = refused = missed = sunk = leaning = wide = empty = 0
    begun = os.times()
    for model in models:
        name = os.path.basename(model)
        status, said, rows = fbgen(build, model, work)
        if rows is None:  # not a muscle in it, or no model that is read
            empty += 1
            count(status == 1 and 'no muscles' in said or status == 3 and ': error: ' in said,
                  f'{name}: status {status}: {said[-200:]}')
            continue
        count(status in (0, 1) and rows, f'{name}: status {status}: {said[-200:]}')
        for row in rows:
            what = f"{name}: {row['muscle']}"
            if row['bundles'] == '0':
                refused += 1
                count(len(row['why_none']) > 20 and row['muscle'] in said, what + ' has no reason')
                continue
            made += 1
            count(float(row['volume_error']) < 1e-3 and float(row['length_error']) < 5e-3 and
                  float(row['penetration']) >= 0 and float(row['mean_gap']) >= 0,
                  f"{what}: volume {row['volume_error']}, length {row['length_error']}, "
                  f"penetration {row['penetration']}, gap {row['mean_gap']}")
            missed += (float(row['penetration']) > 0.01 or float(row['mean_gap']) > 0.01 or
                       float(row['worst_gap']) > 0.03)
            sunk += float(row['between_heads']) > 0.01
            leaning += float(row['tilt_rad']) > math.radians(15)
            is_wide = float(row['width_m']) > 0.5 * float(row['belly_length_m']) * (1 + 1e-5)
            wide += is_wide
            count(not is_wide or row['muscle'] + ' is wider (' in said,
                  f"{what} is {row['width_m']} m wide, its belly {row['belly_length_m']}, and is not named")
    ended = os.times()
    seconds = (ended.children_user + ended.children_system - begun.children_user -
               begun.children_system)
    count(seconds < LIMIT, f'{seconds:.0f} s for {len(models)} models')
    print(f'bundles: {len(models)} models, {empty} without muscles or not read: {made} muscles have bundles, '
          f'{missed} of them beyond 1 % penetration or gap, {sunk} between heads, {leaning} beyond 15 degrees, {wide} wider than half '
          f'their belly (all named); {refused} refused; {seconds:.0f} s')


def figures(muscle):
    """What bundlecheck says of a muscle, as fbgen's table has it."""
    return {'penetration': abs(muscle['penetration']['worst']), 'gap': muscle['gap']['mean'],
            'worst_gap': muscle['gap']['worst']}


def beside_bundlecheck(build, corpus, models, work):
    program, layers = os.path.join(work, 'bundlecheck'), os.path.join(work, 'bundles.jsonl')
    source = os.path.join(corpus, 'check', 'bundlecheck.c')
    made = subprocess.run(['cc', '-O2', '-w', '-o', program, source, '-lm'], check=False)
    if not count(made.returncode == 0, source + ' does not compile'):
        return
    compared = 0
    worst = 0.0
    for model in models:
        name = os.path.basename(model)
        if not any(part in name for part in MODELS):
            continue
        _, _, rows = fbgen(build, model, work, '--layers', layers)
        simple = [row for row in rows or [] if row['bundles'] != '0' and row['heads'] == '1']
        for row in simple[:MUSCLES]:  # it takes heads apart, which fbgen measures together
            muscle = row['muscle']
            with open(layers) as file:
                lines = [line for line in file if json.loads(line)['muscle'] == muscle]
            run = subprocess.run([program, '-', '--json'], input=''.join(lines),
                                 capture_output=True, text=True)
            if not count(run.returncode == 0, f'{name}: {muscle}: {run.stderr}'):
                continue
            other = figures(json.loads(run.stdout)['muscles'][0])
            for key, column in (('penetration', 'penetration'), ('gap', 'mean_gap'),
                                ('worst_gap', 'worst_gap')):
                off = abs(other[key] - float(row[column]))
                worst = max(worst, off)
                count(off < AGREE, f'{name}: {muscle}: {column} {row[column]}, bundlecheck says '
                      f'{other[key]}')
            compared += 1
    count(compared >= 5, f'only {compared} muscles were measured by bundlecheck')
    print(f'bundles: bundlecheck agrees on {compared} muscles within {100 * worst:.3f} % of the '
          'half-height')


def main():
    build, corpus, work = sys.argv[1:4]
    models = sorted(glob.glob(os.path.join(corpus, 'corpus', 'osim', '*.osim')))
    all_models(build, models, work)
    beside_bundlecheck(build, corpus, models, work)
    print(f'{passed} passed, {failed} failed')
    return failed > 0


sys.exit(main())
