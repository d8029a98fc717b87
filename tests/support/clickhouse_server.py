# SPDX-License-Identifier: BSD-2-Clause
"""Real ClickHouse servers on ports of the loopback device, as the shards of one cluster."""
import atexit
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import urllib.error
import urllib.request

import patience

PROGRAM = shutil.which("clickhouse-server", path=os.environ.get("PATH", "") + ":/usr/sbin")

_today = []

CONFIGURATION = """<yandex>
  <logger><level>warning</level><log>{home}/log</log><errorlog>{home}/errors</errorlog></logger>
  <listen_host>127.0.0.1</listen_host>
  <http_port>{ports[0]}</http_port>
  <tcp_port>{ports[1]}</tcp_port>
  <interserver_http_port>{ports[2]}</interserver_http_port>
  <path>{home}/data/</path>
  <tmp_path>{home}/tmp/</tmp_path>
  <user_files_path>{home}/files/</user_files_path>
  <mark_cache_size>5368709</mark_cache_size>
  <users_config>users.xml</users_config>
  <default_profile>default</default_profile>
  <default_database>default</default_database>
  <remote_servers><shards>{shards}</shards></remote_servers>
</yandex>
"""
SHARD = "<shard><replica><host>127.0.0.1</host><port>{}</port></replica></shard>"
USERS = """<yandex>
  <profiles>
    <default/>
    <reader><readonly>1</readonly></reader>
    <reader_with_settings><readonly>2</readonly></reader_with_settings>
  </profiles>
  <quotas><default/></quotas>
  <users>
    <default>
      <password/><networks><ip>127.0.0.1</ip></networks>
      <profile>default</profile><quota>default</quota>
    </default>
    <other>
      <password>secret word</password><networks><ip>127.0.0.1</ip></networks>
      <profile>default</profile><quota>default</quota>
    </other>
    <reader>
      <password/><networks><ip>127.0.0.1</ip></networks>
      <profile>reader</profile><quota>default</quota>
    </reader>
    <reader_with_settings>
      <password/><networks><ip>127.0.0.1</ip></networks>
      <profile>reader_with_settings</profile><quota>default</quota>
    </reader_with_settings>
  </users>
</yandex>
"""


def free_ports(n):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(n)]
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


class Asked:
    """What answers statements at `url`."""

    url = None

    def ask(self, statement):
        """Rows, of strings; a null is \\N."""
        try:
            with urllib.request.urlopen(self.url, data=statement.encode()) as answer:
                lines = answer.read().decode().splitlines()
        except urllib.error.HTTPError as error:
            raise AssertionError(statement + "\n" + error.read().decode()) from None
        return [tuple(line.split("\t")) for line in lines]


class Today(Asked):
    """Today's ClickHouse: npm's chdb, in a directory node_modules."""

    def __init__(self, modules):
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "clickhouse_chdb.mjs")
        self.process = subprocess.Popen(["node", script, modules], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        self.url = f"http://127.0.0.1:{int(self.process.stdout.readline())}"
        atexit.register(self.remove)

    def remove(self):
        self.process.stdin.close()
        self.process.wait()


class Server(Asked):
    """`ports` are those for HTTP, for clients and for other servers."""

    def __init__(self, ports, shards):
        self.home = tempfile.mkdtemp(prefix="clickhouse")
        self.url = f"http://127.0.0.1:{ports[0]}"
        for name in "data", "tmp", "files":
            os.mkdir(os.path.join(self.home, name))
        text = CONFIGURATION.format(home=self.home, ports=ports, shards=shards)
        for name, content in ("config.xml", text), ("users.xml", USERS):
            with open(os.path.join(self.home, name), "w", encoding="utf-8") as file:
                file.write(content)
        self.process = None
        self.start()
        atexit.register(self.remove)

    def start(self):
        with open(os.path.join(self.home, "output"), "ab") as output:
            self.process = subprocess.Popen(
                [PROGRAM, "--config-file=" + os.path.join(self.home, "config.xml")],
                cwd=self.home, stdout=output, stderr=output)

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def remove(self):
        self.kill()
        shutil.rmtree(self.home, ignore_errors=True)

    def is_up(self):
        assert self.process.poll() is None, "the server has ended; see " + self.home
        try:
            return self.ask("select 1") == [("1",)]
        except (urllib.error.URLError, ConnectionError):
            return False

    def wait(self):
        patience.wait_for(self.is_up, "the start of clickhouse-server")


def use_today(modules):
    """From now on, there is one server: today's."""
    global PROGRAM  # pylint: disable=global-statement
    PROGRAM = modules
    _today.append(Today(modules))


def start(n):
    """That many servers; the cluster's name is shards."""
    if _today:
        return _today * n
    ports = free_ports(3 * n)
    shards = "".join(SHARD.format(port) for port in ports[1::3])
    servers = [Server(ports[3 * i:3 * i + 3], shards) for i in range(n)]
    for server in servers:
        server.wait()
    return servers


def make_tables(servers, schema):
    """Those of a cluster's schema. Without ZooKeeper there are no replicas, and each server is
    asked separately."""
    schema = re.sub(r"Replicated(ReplacingMergeTree)\(.*?\)", r"\1()", schema)
    schema = schema.replace(" ON CLUSTER `shards`", "")
    for server in servers:
        for statement in schema.split(";\n\n")[:-1]:
            server.ask(statement)
