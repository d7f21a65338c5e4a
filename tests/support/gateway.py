#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the meters and flows of an edge gateway that limits each address in both directions.

usage: gateway.py --addresses N METERS_FILE FLOWS_FILE

Address i has meter i for both directions, or with --two-meters meter N + i for what comes from it
(port 2 to port 1). As ovs-ofctl and hoistctl take them, one a line.
"""
import argparse
import ipaddress


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--addresses", type=int, default=200_000)
    parser.add_argument("--first", default="1.0.0.1", help="the first address")
    parser.add_argument("--rate", type=int, default=10_000, help="kbps an address and direction")
    parser.add_argument("--burst", type=int, default=1_000, help="kilobits")
    parser.add_argument("--two-meters", action="store_true", help="one meter a direction")
    parser.add_argument("meters")
    parser.add_argument("flows")
    args = parser.parse_args()
    first = ipaddress.ip_address(args.first)
    meter_count = args.addresses * (2 if args.two_meters else 1)
    with open(args.meters, "w") as meters:
        for n in range(1, meter_count + 1):
            meters.write(f"meter={n},kbps,burst,stats,bands=type=drop,rate={args.rate},"
                         f"burst_size={args.burst}\n")
    with open(args.flows, "w") as flows:
        for i in range(args.addresses):
            down = i + 1
            up = args.addresses + i + 1 if args.two_meters else down
            flows.write(f"in_port=1,ip,nw_dst={first + i},actions=meter:{down},output:2\n")
            flows.write(f"in_port=2,ip,nw_src={first + i},actions=meter:{up},output:1\n")


if __name__ == "__main__":
    main()
