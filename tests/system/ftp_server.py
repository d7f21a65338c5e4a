#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# usage: ftp_server.py ADDRESS
# An FTP server of as few words as tests need (RFC 959, RFC 2428): lists "file" over data connections
# that either side opens.
import socket
import sys


def host_port(six):
    numbers = [int(n) for n in six.split(",")]
    return ".".join(map(str, numbers[:4])), numbers[4] * 256 + numbers[5]


def serve(control):
    local = control.getsockname()[0]
    listener = active = None

    def say(line):
        control.sendall((line + "\r\n").encode())

    say("220 ready")
    for line in control.makefile("r", newline="\r\n"):
        verb, _, rest = line.strip().partition(" ")
        verb = verb.upper()
        if verb in ("PASV", "EPSV"):
            listener = socket.create_server((local, 0))
            port = listener.getsockname()[1]
            if verb == "EPSV":
                say(f"229 Entering Extended Passive Mode (|||{port}|)")
            else:
                say(f"227 Entering Passive Mode ({local.replace('.', ',')},{port // 256},{port % 256}).")
        elif verb == "PORT":
            active = host_port(rest)
            say("200 fine")
        elif verb == "EPRT":
            _, _, address, port, _ = rest.split(rest[0])
            active = address, int(port)
            say("200 fine")
        elif verb == "NLST":
            say("150 here it comes")
            if listener is not None:
                data, _ = listener.accept()
                listener.close()
            else:
                data = socket.create_connection(active, 5)
            data.sendall(b"file\r\n")
            data.close()
            listener = active = None
            say("226 done")
        elif verb == "QUIT":
            say("221 bye")
            return
        else:
            say("331 go on" if verb == "USER" else "230 fine")


server = socket.create_server((sys.argv[1], 21))
while True:
    connection, _ = server.accept()
    with connection:
        try:
            serve(connection)
        except OSError as error:
            print(error, file=sys.stderr)
