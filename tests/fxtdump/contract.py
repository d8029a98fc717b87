# SPDX-License-Identifier: BSD-2-Clause
"""What the cases of fxtdump's JSON contract are made of; see test_contract.py.

A case is a sentence, its inputs, fxtdump's arguments, the objects that must come out, and
the exit status.
"""
import subprocess

import fxtref
import fxtwrite as w
import patience
from jsonlines import differences

U64 = 2**64 - 1
CASES = []


def case(sentence, parts, *expected, args=(), status=0, objects=None):
    """An archive of these records. `expected` has an object for each record after the
    magic, without `offset` and `size`; `objects` has whole objects for other inputs."""
    data = b"".join(w.to_bytes(part) for part in parts)
    if objects is None:
        objects = []
        at = 0
        for part, one in zip([w.magic()] + list(parts), [MAGIC] + list(expected)):
            size = len(w.to_bytes(part))
            objects.append({"offset": at, "size": size, **one})
            at += size
        assert len(parts) == len(expected), sentence
        data = w.to_bytes(w.magic()) + data
    CASES.append((sentence, [data], list(args), objects, status))


def only_status(sentence, parts, args, status):
    """With the objects of the reference reader."""
    CASES.append((sentence, [b"".join(w.to_bytes(part) for part in parts)], args, None, status))


def broken(sentence, record, code):
    """A record that is lost, between two that are not."""
    after = w.provider_section(0)
    shown = {"type": "metadata", "metadata": "provider_section", "provider_id": 0}
    case(sentence, [record, after], {"type": "error", "code": code}, shown, status=1)


MAGIC = {
    "type": "metadata",
    "metadata": "trace_info",
    "trace_info": "magic_number",
    "magic": "0x16547846",
}


def at(ticks):
    """At the default rate a tick is a nanosecond."""
    return {"timestamp": ticks, "time_ns": ticks}


WHO = {"process": 1045, "thread": 2077}
KOIDS = (1045, 2077)


def instant(ticks=5, args=(), category="c", name="n", who=WHO, **more):
    return {
        "type": "event", "event": "instant", **at(ticks), **who, "category": category,
        "name": name, "args": list(args), **more,
    }


def registered(index, value):
    return {"type": "string", "index": index, "value": value}


def log(ticks, ns):
    return {"type": "log", "timestamp": ticks, "time_ns": ns, **WHO, "message": "m"}


def rate(ticks_per_second):
    return {"type": "initialization", "ticks_per_second": ticks_per_second}


def logged(ticks):
    return w.log(ticks, KOIDS, b"m")


def section(ident):
    return {"type": "metadata", "metadata": "provider_section", "provider_id": ident}


def info(ident, name):
    return {"type": "metadata", "metadata": "provider_info", "provider_id": ident, "name": name}


def happened(ident, event):
    return {"type": "metadata", "metadata": "provider_event", "provider_id": ident,
            "event": event}


def arg(kind, value, name="a"):
    return {"name": name, "type": kind, "value": value}


def lost(offset, size, code, **region):
    return {"offset": offset, "size": size, **region, "type": "error", "code": code}


def other(sentence, data, *objects, status=0, args=(), inputs=None):
    CASES.append((sentence, inputs or [data], list(args), list(objects), status))


# ---- judging ----


def judge(fxtdump, folder, sentence, inputs, args, objects, status):
    found = []
    reference = fxtref.read_inputs(inputs, fxtref.read_options(args)[0])
    if objects is None:
        objects = reference.objects
    if reference.objects != objects or reference.status("--strict" in args) != status:
        found.append("the reference disagrees: %s" % reference.objects)
    paths = []
    for i, data in enumerate(inputs):
        paths.append("%s/%d" % (folder, i))
        with open(paths[-1], "wb") as file:
            file.write(data)
    done = subprocess.run([fxtdump, "--json", *args, *paths], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=patience.SECONDS)
    lines = done.stdout.decode("utf-8").split("\n")[:-1]
    found += differences(objects, lines)
    if done.returncode != status:
        found.append("exit status %d and not %d" % (done.returncode, status))
    n_errors = sum(one["type"] == "error" for one in objects)
    if n_errors > 0 and done.stderr.count(b"\n") < n_errors:
        found.append("no line on standard error for each error: %r" % done.stderr)
    return found
