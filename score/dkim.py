"""Verifies the signatures of messages with dkimpy. Usage: dkim.py FOLDER

FOLDER holds `keys`, lines of a DNS name and its TXT record, and the messages, *.eml. Prints a line for each message:
its file's name and "pass" or "fail" for each of its signatures.
"""
import sys

# Python looks in the script's own folder first, where this very file would pass for the library of its name.
sys.path.pop(0)

import pathlib

import dkim

folder = pathlib.Path(sys.argv[1])
lines = (folder / "keys").read_bytes().splitlines()
records = dict(line.split(b" ", 1) for line in lines)


def look_up(name, timeout=None):
    return records.get(name.rstrip(b"."))


def verify(message, index):
    try:
        return dkim.DKIM(message).verify(idx=index, dnsfunc=look_up)
    except dkim.DKIMException:
        return False


for path in sorted(folder.glob("*.eml")):
    message = path.read_bytes()
    print(path.name, *("pass" if verify(message, index) else "fail" for index in (0, 1)))
