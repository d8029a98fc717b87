# SPDX-License-Identifier: BSD-2-Clause
"""Random schedules of threads on CPUs, what is true of them, and the records of a trace.

A Schedule is simulated event by event, and adds up what each thread and CPU does as it
goes, independently of any record. life_times() says from the records alone for how long
each thread is there, which holds for damaged traces, too.
"""
import collections

import fxtwrite as w

PREEMPTED, BLOCKED, SUSPENDED, DEAD = 1, 3, 2, 5
IDLE_WEIGHT = -(2**31)


class Thread:
    def __init__(self, koid, state):
        self.koid = koid
        # running, ready, or blocked
        self.state = state
        self.since = None
        self.woken = False
        self.cpu = None
        self.out = None
        self.run = self.wait = self.blocked = 0
        self.switches = self.migrations = 0
        self.latencies = []


class Schedule:
    """`kind` is "legacy", "zircon" (idle threads have koids and weights) or "linux" (the
    idle thread is 0)."""

    def __init__(self, rng, kind, n_cpus, n_threads, n_events):
        self.rng = rng
        self.kind = kind
        self.time = rng.randrange(10**6)
        self.threads = [Thread(100 + i, rng.choice(("ready", "blocked")))
                        for i in range(n_threads)]
        self.running = [None] * n_cpus
        self.cpu_since = [None] * n_cpus
        self.busy = [0] * n_cpus
        self.idle = [0] * n_cpus
        # (koid, from, woken or None, to, outgoing state or None, waker, open)
        self.waits = []
        self.records = [[] for _ in range(n_cpus)]
        for cpu in range(n_cpus):
            if rng.random() < 0.5 and cpu < n_threads:
                self.running[cpu] = self.threads[cpu]
                self.threads[cpu].state = "running"
        for _ in range(n_events):
            self.time += 1 + int(10 ** rng.uniform(0, 6))
            self.step()
        self.finish()

    # ---- what happens ----

    def step(self):
        blocked = [thread for thread in self.threads if thread.state == "blocked"]
        if blocked and self.rng.random() < 0.4:
            self.wake(self.rng.choice(blocked))
        elif self.rng.random() < 0.02:
            self.threads.append(Thread(100 + len(self.threads), "blocked"))
            self.wake(self.threads[-1])
        else:
            self.switch(self.rng.randrange(len(self.running)))

    def wake(self, thread):
        wakers = [other for other in self.running if other is not None]
        waker = self.rng.choice(wakers).koid if wakers and self.rng.random() < 0.8 else 0
        if thread.since is not None:
            thread.blocked += self.time - thread.since
        thread.state = "ready"
        thread.since = self.time
        thread.woken = self.time
        thread.waker = waker
        args = [w.arg(8, b"waker", waker)] if waker else []
        if self.kind == "zircon":
            args.insert(0, w.arg(1, b"weight", 5))
        self.record(self.rng.randrange(len(self.running)),
                    w.thread_wakeup(self.time, self.rng.randrange(200), thread.koid, args))

    def switch(self, cpu):
        old = self.running[cpu]
        ready = [thread for thread in self.threads if thread.state == "ready"]
        if old is not None:
            ready.append(None)
        if not ready:
            return
        new = self.rng.choice(ready)
        state = self.rng.choice((PREEMPTED, BLOCKED, BLOCKED, SUSPENDED))
        if old is not None and self.rng.random() < 0.01:
            state = DEAD
        if self.cpu_since[cpu] is not None:
            ran = self.time - self.cpu_since[cpu]
            if old is None:
                self.idle[cpu] += ran
            else:
                self.busy[cpu] += ran
                old.run += ran
        self.cpu_since[cpu] = self.time
        if old is not None:
            self.put_aside(old, cpu, state)
        if new is not None:
            self.start(new, cpu)
        self.running[cpu] = new
        self.record(cpu, self.switch_record(cpu, state, old, new))

    def put_aside(self, thread, cpu, state):
        thread.state = {PREEMPTED: "ready", DEAD: "dead"}.get(state, "blocked")
        thread.since = self.time if state != DEAD else None
        thread.out = (self.time, state)
        thread.woken = False
        thread.waker = 0
        thread.cpu = cpu

    def start(self, thread, cpu):
        self.end_wait(thread, False)
        if thread.woken:
            thread.latencies.append(self.time - thread.woken)
        thread.migrations += thread.cpu is not None and thread.cpu != cpu
        thread.cpu = cpu
        thread.switches += 1
        thread.state = "running"
        thread.out = None
        thread.woken = False

    def end_wait(self, thread, is_open):
        if thread.since is None:
            return
        if thread.state == "ready":
            thread.wait += self.time - thread.since
        else:
            thread.blocked += self.time - thread.since
        start, state = thread.out or (thread.woken, None)
        self.waits.append((thread.koid, start, thread.woken or None, self.time, state,
                           thread.waker if thread.woken else 0, is_open))

    def finish(self):
        for cpu, thread in enumerate(self.running):
            if self.cpu_since[cpu] is None:
                continue
            ran = self.last - self.cpu_since[cpu]
            if thread is None:
                self.idle[cpu] += ran
            else:
                self.busy[cpu] += ran
                thread.run += ran
        self.time = self.last
        for thread in self.threads:
            if thread.state in ("ready", "blocked"):
                self.end_wait(thread, True)

    # ---- records ----

    def record(self, cpu, record):
        self.last = self.time
        self.records[cpu].append((self.time, record))

    def switch_record(self, cpu, state, old, new):
        if self.kind == "legacy":
            who = [(7, thread.koid) if thread else (0, 0) for thread in (old, new)]
            return w.legacy_context_switch(self.time, cpu, state, who[0], who[1],
                                           (16 if old else 0, 16 if new else 0))
        if self.kind == "linux":
            return w.context_switch(self.time, cpu, state, old.koid if old else 0,
                                    new.koid if new else 0)
        # Zircon has no number for a thread that is ready.
        args = [w.arg(1, name, 20 if thread else IDLE_WEIGHT)
                for name, thread in ((b"outgoing_weight", old), (b"incoming_weight", new))]
        return w.context_switch(self.time, cpu, 0 if state == PREEMPTED else state,
                                old.koid if old else 90 + cpu, new.koid if new else 90 + cpu,
                                args)

    def trace(self, keep=1.0):
        """The records of each CPU in order, those of all in parts; some may be left out."""
        trace = w.archive()
        left = [[record for record in records if self.rng.random() <= keep]
                for records in self.records]
        while any(left):
            records = self.rng.choice([records for records in left if records])
            for _ in range(self.rng.randrange(1, 30)):
                if records:
                    trace.add(records.pop(0)[1])
        for thread in self.threads:
            trace.thread(thread.koid, b"t%d" % thread.koid, 7)
        return trace


def is_idle(one, side):
    if one["scheduling"] == "legacy_context_switch":
        return one[side + "_thread"] == 0
    return one[side + "_thread"] == 0 or any(
        arg["name"] == side + "_weight" and arg["value"] == IDLE_WEIGHT for arg in one["args"])


def life_times(objects):
    """From records as JSON: for each thread the time from when it is first named to its
    death, or to the end; and for each CPU that from its first switch to the end."""
    events = sorted((one for one in objects if one["type"] == "scheduling"),
                    key=lambda one: one["time_ns"])
    since = {}
    lives = collections.Counter()
    cpus = {}
    for one in events:
        at = one["time_ns"]
        if one["scheduling"] == "thread_wakeup":
            since.setdefault(one["waking_thread"], at)
            continue
        cpus.setdefault(one["cpu"], at)
        if not is_idle(one, "outgoing"):
            koid = one["outgoing_thread"]
            since.setdefault(koid, at)
            if one["outgoing_state"] in ("dead", "dying"):
                lives[koid] += at - since.pop(koid)
        if not is_idle(one, "incoming"):
            since.setdefault(one["incoming_thread"], at)
    end = events[-1]["time_ns"] if events else 0
    for koid, start in since.items():
        lives[koid] += end - start
    return lives, {cpu: end - start for cpu, start in cpus.items()}
