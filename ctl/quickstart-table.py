#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""usage: quickstart-table.py FOLDER: prints what quickstart.sh has measured, as one table."""
import json
import re
import sys

MODES = ("software", "emulated")


def read(folder, name):
    with open(f"{folder}/{name}") as file:
        return file.read()


def throughput(folder, mode):
    ping = read(folder, f"{mode}.ping")
    loss = re.search(r"([\d.]+)% packet loss", ping).group(1)
    rtt = re.search(r"= [\d.]+/([\d.]+)/", ping)
    iperf3 = json.loads(read(folder, f"{mode}.iperf3"))
    speed, size = read(folder, f"{mode}.curl").split()
    return {
        "ping, mean round trip": f"{float(rtt.group(1)) * 1000:.0f} us" if rtt else "-",
        "ping, lost": f"{loss} %",
        "iperf3, TCP": f"{iperf3['end']['sum_received']['bits_per_second'] / 1e6:.0f} Mbit/s",
        "curl, 32 MiB": f"{float(speed) * 8 / 1e6:.0f} Mbit/s",
    }


def rules(folder, mode):
    """Rule text -> (packets in hardware, packets in software, tier, why)."""
    out = {}
    for row in json.loads(read(folder, f"{mode}.rules")):
        hardware = row["hardware_packets"]
        why = row["reason"] or row["refusal"]
        out[row["rule"]] = (hardware, row["packets"] - hardware, row["tier"], why)
    return out


def gateway(folder, mode):
    values = dict(line.split() for line in read(folder, f"{mode}.gateway").splitlines())
    placed = json.loads(read(folder, f"{mode}.placed"))
    full = sum(row["tier"] == "full" for row in placed)
    received = json.loads(read(folder, f"{mode}.limited"))["end"]["sum"]
    passed = received["bits_per_second"] * (1 - received["lost_percent"] / 100)
    return {
        f"{values['addresses']} meters and {len(placed)} rules, loaded in": f"{float(values['seconds']):.2f} s",
        "resident memory": f"{int(values['kib']) / 1024:.0f} MiB",
        "rules in hardware": f"{100 * full / max(len(placed), 1):.0f} %",
        f"UDP at {3 * int(values['limit_mbps'])} Mbit/s to an address limited to {values['limit_mbps']}":
            f"{passed / 1e6:.1f} Mbit/s",
    }


def main():
    folder = sys.argv[1]
    measured = [throughput(folder, mode) for mode in MODES]
    print(f"\n{'':<64}{'in software':>24}{'with the emulated NIC':>24}")
    for what in measured[0]:
        print(f"{what:<64}{measured[0][what]:>24}{measured[1][what]:>24}")
    print(f"\n{'packets carried by hardware + software':<64}")
    tables = [rules(folder, mode) for mode in MODES]
    for rule in tables[0]:
        cells = []
        for table in tables:
            hardware, software, _, _ = table.get(rule, (0, 0, "", ""))
            cells.append(f"{hardware} + {software}")
        print(f"{rule:<64}{cells[0]:>24}{cells[1]:>24}")
        _, _, tier, why = tables[1].get(rule, (0, 0, "", ""))
        if tier and tier != "full":
            print(f"    {tier} with the NIC: {why}")
    gateways = [gateway(folder, mode) for mode in MODES]
    print(f"\n{'a gateway that limits each address':<64}{'in software':>24}{'with the emulated NIC':>24}")
    for what in gateways[0]:
        print(f"{what:<64}{gateways[0][what]:>24}{gateways[1].get(what, '-'):>24}")
    print("\nThe emulated NIC is software: it shows what a NIC would carry, not how fast.")


if __name__ == "__main__":
    main()
