# SPDX-License-Identifier: BSD-2-Clause
"""Takes a CPU offline for a moment; whatever happens, it does not stay so."""

import os
import subprocess
import sys

CPU = '/sys/devices/system/cpu/cpu1/online'

# Ends when its standard input does, or after so many seconds, with the CPU online.
WATCHDOG = '''
import select, sys
select.select([sys.stdin], [], [], 5)
with open(sys.argv[1], 'w') as file:
    file.write('1')
'''


def set_online(is_online):
    with open(CPU, 'w', encoding='ascii') as file:
        file.write('1' if is_online else '0')


def why_not():
    """Why the CPU cannot be taken offline; None if it can."""
    if not os.path.exists(CPU):
        return 'there is no second CPU that could go offline'
    with open(CPU, encoding='ascii') as file:
        if file.read().strip() != '1':
            return 'the second CPU is offline already'
    return None if os.access(CPU, os.W_OK) else 'only root may take CPUs offline'


class Offline:
    """For a `with` statement. A process in a separate session is the watchdog: it outlives
    this one, if that is killed."""

    def __enter__(self):
        self.watchdog = subprocess.Popen([sys.executable, '-c', WATCHDOG, CPU],
                                         stdin=subprocess.PIPE, start_new_session=True)
        try:
            set_online(False)
        except OSError:
            self.__exit__()
            raise
        return self

    def __exit__(self, *unused):
        try:
            set_online(True)
        finally:
            self.watchdog.stdin.close()
            assert self.watchdog.wait() == 0
