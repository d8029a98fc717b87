#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Many machines and two shards: how many samples a second the senders and the servers take,
with how much CPU time and memory, and how long questions to all of them take.

fleet.py FXTRECORD FXT2CLICKHOUSE FXT2FOLDED SCHEMA_MD [HOSTS [SAMPLES [ARCHIVE...]]]

Each host has recordings of at most a million samples. One is an archive that is repeated as
often as needed, with a record at its end that makes it another recording than those of other
hosts: of the archives that are named, or else of one that is recorded here while C is
compiled. There are as many senders as CPUs, to two servers in turn. It fails if a host's
samples in the database are not those in its archives, or if a sender needs more than 2 bytes
of memory for each byte of its archive and 128 MB. Hosts that repeat the same archive have the
same stacks, which are stored once."""
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "tests", "support"))

import clickhouse_server  # noqa: E402
import fxtwrite  # noqa: E402

FXTRECORD, SENDER, FXT2FOLDED, SCHEMA_MD = sys.argv[1:5]
N_HOSTS = int(sys.argv[5]) if len(sys.argv) > 5 else 10
N_SAMPLES = int(float(sys.argv[6])) if len(sys.argv) > 6 else 1000000
ARCHIVES = sys.argv[7:]
MAX_BYTES_PER_BYTE, MAX_OTHER_BYTES = 2, 128 << 20
MAX_RECORDING = 1000000
START, SECONDS_EACH = 1700000000, 600
COMPILE = "for f in common/base/*.c common/elf/*.c; do cc -O2 -I. -Iinclude -w -c -o /dev/null $f; done"
TICKS = os.sysconf("SC_CLK_TCK")


def record(folder):
    path = os.path.join(folder, "machine.fxt")
    subprocess.run([FXTRECORD, "-q", "-a", "--frequency", "1000", "--embed-symbols", "-o", path,
                    "sh", "-c", COMPILE], check=True, cwd=os.path.join(HERE, ".."))
    return [path]


def n_samples(path):
    lines = subprocess.run([FXT2FOLDED, "-q", path], check=True, capture_output=True).stdout
    return sum(int(line.rsplit(b" ", 1)[1]) for line in lines.splitlines())


def host_of(i):
    return f"web{i % N_HOSTS:03d}"


class Fleet:
    """`data` has each archive's bytes and number of samples."""

    def __init__(self, paths, folder):
        self.folder, self.data = folder, []
        for path in paths:
            with open(path, "rb") as file:
                self.data.append((file.read(), n_samples(path)))
        self.servers = clickhouse_server.start(2)
        schema = subprocess.run([SENDER, "--schema", "--cluster", "shards"], check=True,
                                capture_output=True, text=True).stdout
        clickhouse_server.make_tables(self.servers, schema)
        self.expected = {}

    def ask(self, statement, server=0):
        return self.servers[server].ask(statement)

    def n_repeated(self, archive):
        return max(1, round(min(N_SAMPLES / N_HOSTS, MAX_RECORDING) / self.data[archive][1]))

    def write(self, i):
        """The path of a recording, and its size."""
        archive = i % len(self.data)
        path = os.path.join(self.folder, f"{i}.fxt")
        with open(path, "wb") as file:
            for _ in range(self.n_repeated(archive)):
                file.write(self.data[archive][0])
            file.write(fxtwrite.to_bytes(fxtwrite.string(1, b"recording %d" % i)))
            size = file.tell()
        # It is not being written.
        os.utime(path, (START, START))
        return path, size

    def send(self, i):
        """What the sender used, and the size of the archive."""
        path, size = self.write(i)
        child = os.posix_spawn(SENDER, [
            SENDER, "-q", "--url", self.servers[i % 2].url, "--host", host_of(i), "--label",
            "env=prod", "--label", f"rack={i % N_HOSTS % 7}", "--start-time",
            str(START + SECONDS_EACH * (i // N_HOSTS)), path],
            os.environ, file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)])
        _, status, usage = os.wait4(child, 0)
        os.unlink(path)
        assert status == 0, status
        return usage, size

    def count(self):
        """How many samples and recordings there are to be, with the samples of each host."""
        n_recordings = N_HOSTS * max(1, round(N_SAMPLES / N_HOSTS / MAX_RECORDING))
        for i in range(n_recordings):
            archive = i % len(self.data)
            samples = self.n_repeated(archive) * self.data[archive][1]
            self.expected[host_of(i)] = self.expected.get(host_of(i), 0) + samples
        return sum(self.expected.values()), n_recordings

    def server_cpu(self):
        total = 0
        for server in self.servers:
            with open(f"/proc/{server.process.pid}/stat", encoding="ascii") as file:
                total += sum(map(int, file.read().rpartition(")")[2].split()[11:13]))
        return total / TICKS

    def send_all(self):
        """True if the memory is bounded."""
        n, n_recordings = self.count()
        print(f"{n} samples of {len(self.expected)} hosts, in {n_recordings} recordings "
              f"by {len(self.data)} archives; load {os.getloadavg()[0]:.1f}", flush=True)
        start, cpu = time.monotonic(), self.server_cpu()
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            usages = list(pool.map(self.send, range(n_recordings)))
        took, cpu = time.monotonic() - start, self.server_cpu() - cpu
        sender = sum(u.ru_utime + u.ru_stime for u, _ in usages)
        peak, size = max((u.ru_maxrss << 10, size) for u, size in usages)
        print(f"  {n / took:.0f} samples/s for {took:.0f} s; CPU time: senders "
              f"{sender / n * 1e6:.2f} us, servers {cpu / n * 1e6:.2f} us a sample\n"
              f"  a sender's memory: at most {peak >> 20} MB, for an archive of {size >> 20} MB")
        start = time.monotonic()
        while any(self.ask("select count() from system.merges", i) != [("0",)] for i in (0, 1)):
            time.sleep(0.5)
        print(f"  merging went on for {time.monotonic() - start:.0f} s")
        return all(u.ru_maxrss << 10 < MAX_BYTES_PER_BYTE * size + MAX_OTHER_BYTES
                   for u, size in usages)

    def print_sizes(self):
        sizes = {}
        for i in range(2):
            for table, rows, size in self.ask("select table, sum(rows), sum(bytes_on_disk) from "
                                              "system.parts where active group by table", i):
                n, total = sizes.get(table, (0, 0))
                sizes[table] = n + int(rows), total + int(size)
        for table, (rows, size) in sorted(sizes.items(), key=lambda item: -item[1][1]):
            print(f"  {table:16s}{rows:12d} rows{size:14d} bytes{size / rows:8.1f} a row")

    def question(self, about, statement):
        start = time.monotonic()
        rows = self.ask(statement)
        print(f"  {time.monotonic() - start:7.2f} s  {about}: {len(rows)} rows", flush=True)
        return rows

    def draw(self):
        """The flame graph of all, and that of one host."""
        path = os.path.join(self.folder, "flame.svg")
        for where in "host like 'web%'", "host = 'web001'":
            start = time.monotonic()
            subprocess.run([FXT2FOLDED, "-q", "--clickhouse", self.servers[0].url, "--timeout",
                            "600s", "--where", where, "-o", path], check=True)
            print(f"  {time.monotonic() - start:7.2f} s  fxt2folded --where \"{where}\"",
                  flush=True)

    def ask_all(self):
        """True if no sample is missing, nor counted twice."""
        with open(SCHEMA_MD, encoding="utf-8") as page:
            queries = dict(re.findall(r"^-- ([^\n]+)\n(select .*?)\n```", page.read(), re.M | re.S))
        hosts = ("select host, sum(n) from (select recording, sum(count) as n from fxt.{} group by "
                 "recording) global inner join (select recording, host from fxt.recording) using "
                 "(recording) group by host")
        found = {}
        for table in "sample", "sample_rows":
            rows = self.question(f"samples of each host, of {table}", hosts.format(table))
            found[table] = {host: int(n) for host, n in rows}
            for name, query in queries.items():
                self.question(f"{name}, of {table}", re.sub(r"fxt\.sample\b", "fxt." + table, query))
        return found["sample"] == found["sample_rows"] == self.expected


def main():
    with tempfile.TemporaryDirectory() as folder:
        fleet = Fleet(ARCHIVES or record(folder), folder)
        is_bounded = fleet.send_all()
        fleet.print_sizes()
        fleet.draw()
        is_right = fleet.ask_all()
        print("memory is bounded:", is_bounded, "\nthe samples of each host are right:", is_right)
        sys.exit(not (is_bounded and is_right))


main()
