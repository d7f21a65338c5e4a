#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""House style that a machine can check. Usage: check.py ROOT; prints findings, exit status 1 if any.

- a quoted include names a file of the same folder or a contract in include/hoist: software/ and
  offload/ never see each other, ctl/ sees both only through the contracts;
- DPDK's experimental functions are switched on only for offload/ and hwtests/;
- no file of code is longer than 500 lines; each begins with its licence; headers say #pragma once;
- no file or folder is called util, common, helpers and the like;
- tests neither sleep nor read the wall clock; no TODO without an issue; the repository speaks of the
  product only.
"""
import os
import re
import sys

FOLDERS = ("include", "software", "offload", "ctl", "hwtests", "tests")
LINES_MAX = 500
BANNED_NAMES = re.compile(r"^(utils?|common|helpers?|misc|.*manager_base)(\.\w+)?$")
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)
EXPERIMENTAL = re.compile(r"define\s+ALLOW_EXPERIMENTAL_API|-DALLOW_EXPERIMENTAL_API")
TODO = re.compile(r"\b(TODO(?!\(#\d+\))|FIXME|XXX)\b")
SLEEP = re.compile(r"\b(sleep_for|sleep_until|usleep|nanosleep|system_clock::now)\b|\bsleep\(")
PRIVATE = re.compile(r"(?<![\w.])/(home|root|work)/\w")


def sources(root):
    for folder in FOLDERS:
        for path, folders, files in os.walk(os.path.join(root, folder)):
            folders[:] = [f for f in folders if f not in ("build", "__pycache__")]
            for name in sorted(files):
                yield folder, os.path.join(path, name)


def text_of(path):
    with open(path, errors="replace") as file:
        return file.read()


def may_include(root, folder, path, name):
    roots = [os.path.dirname(path), os.path.join(root, "include"), os.path.join(root, folder)]
    if folder == "tests":  # tests see what they test
        roots += [os.path.join(root, f) for f in FOLDERS] + [root]
        roots += [os.path.join(root, "tests", f) for f in os.listdir(os.path.join(root, "tests"))]
        roots += [os.path.join(root, "hwtests", "emulated_nic")]
    if folder == "hwtests":
        roots += [os.path.join(root, "hwtests", "emulated_nic"), os.path.join(root, "tests")]
    for base in roots:
        target = os.path.normpath(os.path.join(base, name))
        if os.path.isfile(target):
            inside = os.path.relpath(target, root).split(os.sep)[0]
            return folder in ("tests", "hwtests") or inside in (folder, "include")
    return False


def check_code(root, folder, path, text):
    lines = text.count("\n")
    if lines > LINES_MAX:
        yield f"{lines} lines; {LINES_MAX} is the limit"
    first = text.split("\n", 1)[0]
    if "SPDX-License-Identifier: BSD-3-Clause" not in first:
        yield "does not begin with its SPDX line"
    if path.endswith(".hpp") and "#pragma once" not in text:
        yield "no #pragma once"
    for name in INCLUDE.findall(text):
        if not may_include(root, folder, path, name):
            yield f'includes "{name}", which {folder}/ must not see'
    if folder not in ("offload", "hwtests") and EXPERIMENTAL.search(text):
        yield "switches on DPDK's experimental functions"
    if folder == "tests" and SLEEP.search(text):
        yield "a test sleeps or reads the wall clock"


def check(root, folder, path):
    for part in os.path.relpath(path, root).split(os.sep):
        if BANNED_NAMES.match(part):
            yield f'"{part}" says nothing: name it for its idea'
    text = text_of(path)
    if path.endswith((".hpp", ".cpp", ".h", ".c")):
        yield from check_code(root, folder, path, text)
    if path.endswith("check.py"):
        return
    for what in TODO.findall(text):
        yield f"{what} without an issue"
    if PRIVATE.search(text):
        yield "speaks of a path outside the repository"


def main():
    root = os.path.abspath(sys.argv[1])
    findings = 0
    for folder, path in sources(root):
        for finding in check(root, folder, path):
            print(f"{os.path.relpath(path, root)}: {finding}")
            findings += 1
    print(f"{findings} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
