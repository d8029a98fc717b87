#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The units of systemd: systemd understands them and finds them confined, and their commands
do what they are there for. Arguments: the tools' directory, that of the built units, and that
of their sources."""
import os
import re
import shlex
import shutil
import subprocess
import sys

from clickhouse_stand_in import StandIn
from profile_cases import TOOLS, main, run, skip

BUILT, SOURCES = map(os.path.abspath, sys.argv[2:4])
SERVICES = ["fxtrecord.service", "fxtship.service"]
# Of systemd-analyze security, in tenths: up to 50 is what it calls MEDIUM.
EXPOSURE = {"fxtrecord.service": 45, "fxtship.service": 35}

if shutil.which("systemd-analyze") is None:
    skip("there is no systemd-analyze")


def text_of(name):
    directory = BUILT if name in SERVICES else SOURCES
    with open(os.path.join(directory, name), encoding="utf-8") as file:
        return file.read()


def copy_units():
    """With the programs where they were built."""
    for name in SERVICES + ["fxtship.timer"]:
        text = re.sub(r"^ExecStart=\S*/(\w+) ", rf"ExecStart={TOOLS}/\1/\1 ", text_of(name),
                      flags=re.M)
        with open(name, "w", encoding="utf-8") as file:
            file.write(text)
    return SERVICES + ["fxtship.timer"]


def command_of(name, **values):
    """The command line of a service, as words."""
    with open(name, encoding="utf-8") as file:
        (line,) = re.findall(r"^ExecStart=(.*)$", file.read(), re.M)
    line = re.sub(r"\$\{(\w+)\}", lambda match: shlex.quote(values[match[1]]), line)
    line = re.sub(r"\$(\w+)", lambda match: values[match[1]], line)
    return shlex.split(line.replace("%d", values["credentials"]))


def test_systemd_understands_them():
    done = subprocess.run(["systemd-analyze", "verify", "--man=no", "--recursive-errors=no",
                           *("./" + name for name in copy_units())], text=True, check=False,
                          capture_output=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", ""), done


def test_they_are_confined():
    copy_units()
    for name in SERVICES:
        said = run("systemd-analyze", "security", "--no-pager", "--offline=yes",
                   f"--threshold={EXPOSURE[name]}", "./" + name)
        print(re.findall(r"Overall exposure.*", said))


def test_examples_of_configuration():
    for name, variable in ("fxtrecord", "FXTRECORD_OPTIONS"), ("fxtship", "FXTSHIP_URL"), (
            "fxtship", "FXTSHIP_OPTIONS"):
        assert re.search(rf"^{variable}=\S", text_of(name + ".conf"), re.M), variable
        assert variable in text_of(name + ".service")
        assert f"/fxt/{name}.conf\n" in text_of(name + ".service")


def test_their_commands():
    """The recorder's for a second, as far as this machine permits that, and the sender's."""
    copy_units()
    os.makedirs("state dir")
    os.mkdir("credentials")
    with open("credentials/netrc", "w", encoding="ascii") as file:
        file.write("machine 127.0.0.1 login writer password hidden\n")
    values = {"STATE_DIRECTORY": "state dir", "credentials": "credentials",
              "FXTRECORD_OPTIONS": "--frequency 20 -d 1"}
    done = subprocess.run(command_of("fxtrecord.service", **values), text=True, check=False,
                          capture_output=True)
    is_recorded = done.returncode == 0
    if not is_recorded:
        print("not recorded:", done.stderr)
    with StandIn(run(os.path.join(TOOLS, "fxt2clickhouse", "fxt2clickhouse"),
                     "--schema")) as stand_in:
        command = command_of("fxtship.service", FXTSHIP_URL=stand_in.url,
                             FXTSHIP_OPTIONS="--label env=prod", **values)
        assert "hidden" not in " ".join(command)
        run(*command)
        assert len(stand_in.rows["recording"]) == is_recorded and not os.listdir("state dir")
        if is_recorded:
            assert stand_in.requests[-1][1]["Authorization"] == "Basic d3JpdGVyOmhpZGRlbg=="


if __name__ == "__main__":
    main(sys.modules[__name__])
