#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the meters and flows of an edge gateway that limits each address in both directions, and traffic.

Address i has meter i for both directions, or with --two-meters meter N + i for what comes from it
(port 2 to port 1). Meters and flows are as ovs-ofctl and hoistctl take them, one a line. The traffic is a
capture for each direction; an address of the second half has three times the frames of one of the first.
"""
import argparse
import ipaddress
import random
import struct


def write_meters(args, path):
    count = args.addresses * (2 if args.two_meters else 1)
    with open(path, "w") as file:
        for n in range(1, count + 1):
            file.write(f"meter={n},kbps,burst,stats,bands=type=drop,rate={args.rate},"
                       f"burst_size={args.burst}\n")


def write_flows(args, path):
    first = ipaddress.ip_address(args.first)
    with open(path, "w") as file:
        for i in range(args.addresses):
            down = i + 1
            up = args.addresses + i + 1 if args.two_meters else down
            file.write(f"in_port=1,ip,nw_dst={first + i},actions=meter:{down},output:2\n")
            file.write(f"in_port=2,ip,nw_src={first + i},actions=meter:{up},output:1\n")


def frame(src, dst, size):
    """An Ethernet frame with IPv4 and UDP, the latter without a checksum."""
    ip = bytearray(struct.pack(">BBHIBBHII", 0x45, 0, size - 14, 0, 64, 17, 0, src, dst))
    total = sum(struct.unpack(">10H", ip))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    ip[10:12] = struct.pack(">H", total ^ 0xffff)
    udp = struct.pack(">HHHH", 4000, 5000, size - 34, 0)
    return bytes.fromhex("020000000002 020000000001 0800") + ip + udp + bytes(size - 42)


def write_frames(args, path, is_down):
    """pcap, microseconds, little endian."""
    first = int(ipaddress.ip_address(args.first))
    outside = int(ipaddress.ip_address("198.18.0.1"))  # RFC 2544: a network for measurements
    half = args.addresses // 2
    order = [i for i in range(args.addresses) for _ in range(1 if i < half else 3)]
    random.Random(1).shuffle(order)
    with open(path, "wb") as file:
        file.write(struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1))
        for i in order:
            ends = (outside, first + i) if is_down else (first + i, outside)
            file.write(struct.pack("<IIII", 0, 0, args.frame_size, args.frame_size))
            file.write(frame(*ends, args.frame_size))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--addresses", type=int, default=200_000)
    parser.add_argument("--first", default="1.0.0.1", help="the first address")
    parser.add_argument("--rate", type=int, default=10_000, help="kbps an address")
    parser.add_argument("--burst", type=int, default=1_000, help="kilobits")
    parser.add_argument("--two-meters", action="store_true", help="one meter a direction")
    parser.add_argument("--down", metavar="FILE", help="frames to the addresses, as a capture")
    parser.add_argument("--up", metavar="FILE", help="frames from them")
    parser.add_argument("--frame-size", type=int, default=250, help="bytes without FCS")
    parser.add_argument("meters")
    parser.add_argument("flows")
    args = parser.parse_args()
    write_meters(args, args.meters)
    write_flows(args, args.flows)
    for path, is_down in ((args.down, True), (args.up, False)):
        if path:
            write_frames(args, path, is_down)


if __name__ == "__main__":
    main()
