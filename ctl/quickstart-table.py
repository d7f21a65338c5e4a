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


def meters(folder, name):
    """Meter -> (seconds it exists, bytes that it met, bytes that it dropped, packets that it dropped)."""
    number = r"([\d.]+)"
    text = read(folder, name)
    pattern = (rf"meter:{number} flow_count:\d+ packet_in_count:\d+ byte_in_count:{number} "
               rf"duration:{number}s bands:\s+0: packet_count:{number} byte_count:{number}")
    return {int(m[0]): (float(m[2]), int(m[1]), int(m[4]), int(m[3])) for m in re.findall(pattern, text)}


def ports(folder, name):
    """(packets received, packets sent) by all ports."""
    text = read(folder, name)
    return [sum(int(n) for n in re.findall(rf"{way} pkts=(\d+)", text)) for way in ("rx", "tx")]


def gateway(folder, mode):
    values = dict(line.split() for line in read(folder, f"{mode}.gateway").splitlines())
    placed = json.loads(read(folder, f"{mode}.placed"))
    full = sum(row["tier"] == "full" for row in placed)
    packets = sum(row["packets"] for row in placed)
    in_hardware = sum(row["hardware_packets"] for row in placed)
    before, after = meters(folder, f"{mode}.before"), meters(folder, f"{mode}.after")
    rate = int(values["kbps"]) * 125
    # A bucket may have been full, one more after a change of plane, and the last frame may not have fitted.
    slack = 2 * rate + int(values["frame_size"])
    limited = within = 0
    passed_all = allowed_all = 0
    for meter, (seconds, met, dropped, _) in after.items():
        earlier = before[meter]
        offered = met - earlier[1]
        passed = offered - (dropped - earlier[2])
        allowed = rate * (seconds - earlier[0])
        is_limited = offered > 2 * allowed
        within += passed <= allowed + slack and (not is_limited or passed >= allowed - slack)
        limited += is_limited
        if is_limited:
            passed_all += passed
            allowed_all += allowed
    came, went = ports(folder, f"{mode}.ports.before"), ports(folder, f"{mode}.ports.after")
    dropped = sum(meter[3] for meter in meters(folder, f"{mode}.end").values())
    received, sent = went[0] - came[0], went[1] - came[1]
    return {
        f"{values['addresses']} meters and {len(placed)} rules, loaded and placed in": f"{float(values['seconds']):.2f} s",
        "resident memory": f"{int(values['kib']) / 1024:.0f} MiB",
        "rules in hardware": f"{100 * full / max(len(placed), 1):.0f} %",
        "packets carried by hardware": f"{100 * in_hardware / max(packets, 1):.0f} %",
        "packets received": f"{received}, {received / float(values['played']) / 1e6:.3f} Mpps",
        "dropped by meters": f"{dropped}",
        "lost otherwise": f"{received - dropped - sent}",
        f"addresses with twice and more of their {values['kbps']} kbit/s": f"{limited}",
        "what these passed, of what they were allowed": f"{100 * passed_all / max(allowed_all, 1):.1f} %",
        "addresses whose own rate was right": f"{within} of {len(after)}",
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
