#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs a scenario: a DPDK program on the emulated NIC (or, with --real, on the ports given), fed with the
scenario's commands, its output compared with the scenario's expectations.

A scenario is text. Lines:
  program dpdk-testpmd        the program, looked up in PATH
  profile connectx            of hwtests/profiles
  eal --vdev net_ring0        arguments before and
  args --total-num-mbufs=2048 after "--"; both may be repeated
  > flow list 0               a command for testpmd
  < REGEX                     must be found in the output, after what the last < found
  ! REGEX                     must not be found anywhere
  books NAME OP NUMBER        a counter of the NIC's books at the end; OP is ==, >= or <=
  # comment

Exit codes: 0 fine, 1 not as expected, 77 the program is not installed.
"""

import argparse
import json
import operator
import os
import pty
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
EAL = ["--no-huge", "--no-shconf", "--no-pci", "--no-telemetry", "-m", "256", "-l", "0,1"]
OPERATORS = {"==": operator.eq, ">=": operator.ge, "<=": operator.le}


def parse(path):
    scenario = {"eal": [], "args": [], "commands": [], "expect": [], "never": [], "books": []}
    for number, line in enumerate(open(path), 1):
        word, _, rest = line.strip().partition(" ")
        if word in ("", "#"):
            continue
        elif word in ("program", "profile"):
            scenario[word] = rest
        elif word in ("eal", "args"):
            scenario[word] += shlex.split(rest)
        elif word == ">":
            scenario["commands"].append(rest)
        elif word in ("<", "!"):
            scenario["expect" if word == "<" else "never"].append((number, rest))
        elif word == "books":
            scenario["books"].append((number, rest.split()))
        else:
            sys.exit(f"{path}:{number}: what is {word!r}?")
    return scenario


def command_line(scenario, real, commands_file):
    program = [scenario["program"]]
    if real is None:
        prefix = [os.path.join(HERE, "..", "with-emulated-nic"), scenario["profile"]]
        eal = EAL + scenario["eal"]
    else:
        prefix, eal = [], shlex.split(real)
    arguments = list(scenario["args"])
    if scenario["commands"]:
        arguments += ["-i", f"--cmdline-file={commands_file}"]
    return prefix + program + eal + ["--"] + arguments


def run(arguments, environment):
    """Exit code and output; on a terminal, so that both streams come line by line, in order."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(arguments, stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs,
                               env=environment)
    os.close(theirs)
    deadline = threading.Timer(240, process.kill)
    deadline.start()
    chunks = []
    try:
        while chunk := os.read(ours, 65536):
            chunks.append(chunk)
    except OSError:  # What Linux says when the other end is gone.
        pass
    deadline.cancel()
    os.close(ours)
    output = b"".join(chunks).decode(errors="replace").replace("\r\n", "\n")
    return process.wait(), output


def check(scenario, output, books, path):
    """Complaints, one a line; empty: all is as expected."""
    complaints, at = [], 0
    for number, pattern in scenario["expect"]:
        found = re.compile(pattern, re.MULTILINE).search(output, at)
        if found is None:
            complaints.append(f"{path}:{number}: not found: {pattern}")
        else:
            at = found.end()
    for number, pattern in scenario["never"]:
        if re.search(pattern, output, re.MULTILINE):
            complaints.append(f"{path}:{number}: found: {pattern}")
    for number, (name, comparison, value) in scenario["books"] if books is not None else []:
        if not OPERATORS[comparison](books.get(name, -1), int(value)):
            complaints.append(f"{path}:{number}: {name} is {books.get(name)}")
    return complaints


def main():
    parser = argparse.ArgumentParser(description="Runs one scenario.")
    parser.add_argument("scenario")
    parser.add_argument("--real", metavar="EAL_ARGUMENTS",
                        help="on real ports: the EAL arguments that name them")
    parser.add_argument("--show", action="store_true", help="print the program's output")
    options = parser.parse_args()
    scenario = parse(options.scenario)
    if shutil.which(scenario["program"]) is None:
        print(f"SKIPPED: {scenario['program']} is not installed (Debian: apt install dpdk)")
        return 77
    with tempfile.TemporaryDirectory() as directory:
        commands_file = os.path.join(directory, "commands")
        books_file = os.path.join(directory, "books.json")
        with open(commands_file, "w") as file:
            file.write("\n".join(scenario["commands"] + ["quit", ""]))
        code, output = run(command_line(scenario, options.real, commands_file),
                           {**os.environ, "EMULATED_NIC_BOOKS": books_file})
        books = json.load(open(books_file)) if os.path.exists(books_file) else None
    complaints = check(scenario, output, books, options.scenario)
    if code != 0:
        complaints.append(f"{scenario['program']} ended with {code}")
    if options.real is None and books is None:
        complaints.append("the emulated NIC wrote no books: was it in the program at all?")
    if options.show or complaints:
        print(output)
    print("\n".join(complaints) if complaints else "as expected")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
