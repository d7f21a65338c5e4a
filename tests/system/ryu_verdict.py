#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""usage: ryu_verdict.py RESULTS KNOWN: compares run.py's results with the known failures.

KNOWN has a line `FILE: DESCRIPTION` for each; `#` begins a comment. Status 1 if another test failed,
or if one of these passed.
"""
import json
import sys


def main():
    with open(sys.argv[1]) as file:
        results = json.load(file)
    with open(sys.argv[2]) as file:
        lines = [line.strip() for line in file]
    known = {line for line in lines if line and not line.startswith("#")}
    names = {f"{r['file']}: {r['test']}": r for r in results}
    failed = {name for name, r in names.items() if r["result"] != "passed"}
    for name in sorted(failed - known):
        print(f"FAILED {name}\n    {names[name]['reason']}")
    for name in sorted((known & names.keys()) - failed):
        print(f"passes now, so take it out of the known failures: {name}")
    print(f"{len(results) - len(failed)} of {len(results)} passed, {len(failed & known)} known failures")
    return 1 if failed - known or (known & names.keys()) - failed else 0


if __name__ == "__main__":
    sys.exit(main())
