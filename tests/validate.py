#!/usr/bin/python3
"""Validates .fb documents against the JSON Schema: validate.py SCHEMA FILE-OR-FOLDER..

Prints the first violation of each bad document (at most 20) and a summary; status 1 if any is bad, or
if the schema is missing."""
import json
import os
import sys

from jsonschema import Draft202012Validator


def documents(names):
    for name in names:
        if os.path.isdir(name):
            for entry in sorted(os.listdir(name)):
                yield os.path.join(name, entry)
        else:
            yield name


def load_validator(path):
    """The schema itself must be one."""
    with open(path, encoding="utf-8") as file:
        schema = json.load(file)
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


def likeliest(errors):
    """Of the errors of several alternatives, the first of the one that was meant: whose type is right."""
    alternatives = {}
    for error in errors:
        alternatives.setdefault(error.schema_path[0], []).append(error)
    wrong_type = lambda group: sum(list(error.path)[-1:] == ["type"] for error in group)
    return min(alternatives.values(), key=lambda group: (wrong_type(group), len(group)))[0]


def first_violation(validator, document):
    """The cause of the first error, as 'where: what'; None if the document is valid."""
    error = next(validator.iter_errors(document), None)
    if error is None:
        return None
    while error.context:
        error = likeliest(error.context)
    where = "/" + "/".join(str(part) for part in error.absolute_path)
    return "%s: %s" % (where, error.message[:200])


def main():
    sys.setrecursionlimit(20000)  # functions of functions of functions
    if len(sys.argv) < 3 or not os.path.exists(sys.argv[1]):
        print("schema: there is no %s" % (sys.argv[1] if len(sys.argv) > 1 else "schema"))
        return 1
    validator = load_validator(sys.argv[1])
    seen, bad = set(), 0
    for name in documents(sys.argv[2:]):
        with open(name, encoding="utf-8") as file:
            text = file.read()
        if text in seen:
            continue
        seen.add(text)
        try:
            problem = first_violation(validator, json.loads(text))
        except ValueError as error:
            problem = "no JSON: %s" % error
        if problem:
            bad += 1
            if bad <= 20:
                print("schema: %s: %s" % (name, problem))
    print("schema: %d documents, %d invalid" % (len(seen), bad))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
