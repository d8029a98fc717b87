# SPDX-License-Identifier: BSD-2-Clause
"""Compares lines of JSON with the objects they must be: the same keys in the same order,
the same types, doubles bit by bit."""
import json
import struct


def frozen(value):
    """A value whose equality is as strict as the contract."""
    if isinstance(value, dict):
        return ("object", tuple((key, frozen(one)) for key, one in value.items()))
    if isinstance(value, (list, tuple)):
        return ("array", tuple(frozen(one) for one in value))
    if isinstance(value, float):
        return ("double", struct.pack("<d", value))
    return (type(value).__name__, value)


def no_twins(pairs):
    assert len(dict(pairs)) == len(pairs), "a key stands twice"
    return dict(pairs)


def no_constant(name):
    raise ValueError("%s is no JSON" % name)


def parse(line):
    return json.loads(line, object_pairs_hook=no_twins, parse_constant=no_constant)


def same(expected, line):
    """Whether a line is the object. The message of an error is for people: any will do,
    where the expected object has none."""
    if line == json.dumps(expected, separators=(",", ":"), ensure_ascii=False):
        return True
    got = parse(line)
    if got.get("type") == "error" and "message" not in expected:
        if list(got)[-1] != "message" or not got.pop("message"):
            return False
    return frozen(got) == frozen(expected)


def differences(expected, lines):
    """What is wrong with the lines, as text for people; empty if nothing is."""
    found = []
    for i in range(max(len(expected), len(lines))):
        if i >= len(lines):
            found.append("missing: %s" % expected[i])
        elif i >= len(expected):
            found.append("too much: %s" % lines[i])
        elif not same(expected[i], lines[i]):
            found.append("expected: %s\n     got: %s" % (json.dumps(expected[i]), lines[i]))
    return found
