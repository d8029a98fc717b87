# SPDX-License-Identifier: BSD-2-Clause
"""Files for speedscope, as its own importer reads them."""

import collections
import re

UNITS = {"bytes", "microseconds", "milliseconds", "nanoseconds", "none", "seconds"}
SCHEMA = "https://www.speedscope.app/file-format-schema.json"


def check_schema(document):
    """What the schema of speedscope's own files requires, and that nothing is unused."""
    assert document["$schema"] == SCHEMA
    assert set(document) <= {"$schema", "activeProfileIndex", "exporter", "name",
                             "profiles", "shared"}
    frames = document["shared"]["frames"]
    for frame in frames:
        assert isinstance(frame["name"], str)
        assert set(frame) <= {"name", "file", "line", "col"}
        assert isinstance(frame.get("file", ""), str) and isinstance(frame.get("line", 1), int)
    profiles = document["profiles"]
    used = {i for profile in profiles for i in check_profile(profile)}
    assert used == set(range(len(frames)))
    assert len({tuple(sorted(frame.items())) for frame in frames}) == len(frames)
    assert document.get("activeProfileIndex", 0) in range(max(1, len(profiles)))


def check_profile(profile):
    """The numbers of the frames that it has."""
    common = {"type", "name", "unit", "startValue", "endValue"}
    assert profile["unit"] in UNITS and isinstance(profile["name"], str)
    length = profile["endValue"] - profile["startValue"]
    if profile["type"] == "evented":
        assert set(profile) == common | {"events"}
        assert all(set(event) == {"type", "at", "frame"} for event in profile["events"])
        times = [event["at"] for event in profile["events"]]
        assert times == sorted(times) and all(0 <= time <= length for time in times)
        return {event["frame"] for event in profile["events"]}
    assert profile["type"] == "sampled" and set(profile) == common | {"samples", "weights"}
    assert len(profile["samples"]) == len(profile["weights"])
    assert length == sum(profile["weights"])
    return {i for sample in profile["samples"] for i in sample}


def intervals(profile):
    """What stacks there are one after another, as numbers of frames, and how long. Times
    without a frame are among them."""
    if profile["type"] == "sampled":
        return list(zip(profile["samples"], profile["weights"]))
    found, open_frames, now = [], [], profile["startValue"]
    for event in profile["events"]:
        if event["at"] > now:
            found.append((list(open_frames), event["at"] - now))
            now = event["at"]
        if event["type"] == "O":
            open_frames.append(event["frame"])
        else:
            assert event["type"] == "C" and open_frames.pop() == event["frame"]
    assert not open_frames
    if profile["endValue"] > now:
        found.append(([], profile["endValue"] - now))
    return found


def stacks(document):
    """By the names of the profiles, their stacks of names in the order of time, and how
    long."""
    names = [frame["name"] for frame in document["shared"]["frames"]]
    return {profile["name"]: [([names[i] for i in stack], weight)
                              for stack, weight in intervals(profile)]
            for profile in document["profiles"]}


def fold(document):
    """The stacks of each (process, thread), by names of frames, and how much they weigh."""
    names = [frame["name"] for frame in document["shared"]["frames"]]
    found = collections.defaultdict(collections.Counter)
    for profile in document["profiles"]:
        # "process[1] thread[2]", where a name may have spaces and brackets.
        match = re.fullmatch(r"(?s).*\[(\d+)\] .*\[(\d+)\]", profile["name"])
        counts = found[tuple(map(int, match.groups()))]
        for stack, weight in intervals(profile):
            if stack:
                counts[tuple(names[i] for i in stack)] += weight
    return dict(found)
