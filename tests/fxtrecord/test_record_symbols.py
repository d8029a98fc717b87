#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Archives with --embed-symbols give the same profile where the recorded files are gone.
See recorder.py."""

import glob
import os
import re
import shutil
import signal
import socket
import subprocess

import debug_server
import patience
import pprof_read
from recorder import main, run, samples_of, wait_for

# A program and a library, each with separate inlined functions.
LIBRARY = """
namespace shared {
struct Mixer {
    unsigned long seed;
    inline unsigned long step(unsigned long x) const
    {
        for (int i = 0; i < 20; i++)
            x = (x ^ seed) * 6364136223846793005ul + (x >> 7);
        return x;
    }
};
__attribute__((noinline)) static unsigned long round_of(const Mixer &mixer, unsigned long x)
{
    for (int i = 0; i < 500; i++)
        x = mixer.step(x);
    return x;
}
unsigned long mix(unsigned long x) { return round_of({x}, x) + 1; }
}
"""
PROGRAM = """
extern "C" int usleep(unsigned);
namespace shared { unsigned long mix(unsigned long); }
namespace {
template <class T> inline T spin(T x)
{
    for (int i = 0; i < 10000; i++)
        x = x * 2862933555777941757ul + (x >> 11);
    return x;
}
}
__attribute__((noinline)) static unsigned long both(unsigned long x)
{
    return shared::mix(spin(x)) + spin(x + 1);
}
int main(int argc, char **argv)
{
    unsigned long x = argc;
    int n = argc < 2 ? 0 : (argv[1][0] - '0') * 3000;

    for (int i = 0; i < n; i++) {
        x += both(x);
        if (i % 500 == 0)
            usleep(1000);
    }
    return x == 42;
}
"""


def build(directory):
    """The program, and the directory that has all of it."""
    home = os.path.join(directory, 'home')
    program = os.path.join(home, 'program')
    os.makedirs(home, exist_ok=True)
    if not os.path.exists(program):
        for source, options in (LIBRARY, ['-shared', '-fPIC', '-o', home + '/libmix.so']), (
                PROGRAM, ['-o', program, home + '/libmix.so', '-Wl,-rpath,' + home]):
            subprocess.run(['c++', '-x', 'c++', '-', '-g', '-O2', '-fno-omit-frame-pointer',
                            '-Wl,--build-id', *(('-x', 'none') if '-shared' not in options
                                                else ()), *options],
                           input=source, text=True, check=True)
    return program, home


def without_lines(r, archive):
    """The archive as it was before its symbols were embedded."""
    records = r.dump(archive)
    lines = [x for x in records if (x.get('category'), x.get('name')) == ('symbols', 'lines')]
    # They do not make the recording longer than it was, which is from its first sample on.
    samples = [x['time_ns'] for x in records if x.get('format') and x not in lines]
    assert min(x['time_ns'] for x in lines) >= max(samples), (lines, max(samples))
    offsets = [x['offset'] for x in lines]
    assert offsets, 'nothing was embedded'
    plain = archive + '.plain.fxt'
    with open(archive, 'rb') as file, open(plain, 'wb') as to:
        to.write(file.read(offsets[0]))
    return plain


def pprof_of(r, archive):
    """Every sample's locations with all that is known of their functions and lines."""
    path = archive + '.pb'
    run(os.path.join(r.tools, 'fxt2pprof', 'fxt2pprof'), '-q', '--no-gzip', '-o', path, archive)
    found = pprof_read.read(path)
    functions = {f['id']: (f['name'], f['system_name'], f['filename'], f['start_line'])
                 for f in found['function']}
    locations = {x['id']: (x['address'], [(functions[line['function_id']], line['line'])
                                          for line in x['line']])
                 for x in found['location']}
    return sorted(([locations[i] for i in sample['location_id']], sample['value'])
                  for sample in found['sample'])


def results(r, archive):
    return r.folded('--lines', archive), pprof_of(r, archive)


def names_of(stacks):
    return {re.sub(' .*', '', frame) for frames, _ in stacks for frame in frames}


def hide(home):
    os.rename(home, home + '.gone')


def show(home):
    os.rename(home + '.gone', home)


def elsewhere(r, directory, archive):
    """What the converter prints where no file of this machine is; None where that cannot
    be tried."""
    root = os.path.join(directory, 'root')
    if os.geteuid() != 0 or r.sanitizers != 'none':
        return None
    tool = os.path.join(r.tools, 'fxt2folded', 'fxt2folded')
    if not os.path.exists(root):
        listed = run('ldd', tool).stdout
        os.mkdir(root)
        for path in {tool, *re.findall(r'(?:=> |^\s+)(/\S+)', listed, re.MULTILINE)}:
            shutil.copy(path, root)
    shutil.copy(archive, os.path.join(root, 'a.fxt'))
    loader = [os.path.basename(path) for path in glob.glob(root + '/ld*')]
    if len(loader) != 1:
        return None
    # Symbols are embedded with what debuginfod has; here there is none.
    lines = run('env', '-u', 'DEBUGINFOD_URLS', 'chroot', root, '/' + loader[0],
                '--library-path', '/', '/fxt2folded', '-q', '--lines', '/a.fxt').stdout
    return [(line.rsplit(' ', 1)[0].split(';'), int(line.rsplit(' ', 1)[1]))
            for line in lines.splitlines()]


def test_files_that_are_gone(r, directory):
    program, home = build(directory)
    archive = os.path.join(directory, 'a.fxt')
    r.record('-q', '-F', '2000', '--embed-symbols', '-o', archive, program, '1')
    plain = without_lines(r, archive)
    folded, pprof = results(r, plain)
    names = names_of(folded)
    assert {'main', 'both(unsigned', 'shared::mix(unsigned', 'shared::Mixer::step(unsigned'
            } <= names, names
    assert results(r, archive) == (folded, pprof), 'other names where the files are'
    hide(home)
    assert results(r, archive) == (folded, pprof), 'other names where the files are gone'
    assert 'main' not in names_of(r.folded(plain)), 'the program is not hidden'
    there = elsewhere(r, directory, archive)
    assert there is None or there == folded, (there, folded)
    show(home)


def test_archives_one_after_the_other(r, directory):
    """Each has what it needs; those that --keep removes need nothing."""
    program, home = build(directory)
    archive = os.path.join(directory, 'rotated.fxt')
    r.record('-q', '-F', '9000', '--embed-symbols', '--rotate', '64K', '--keep', '2', '-o',
             archive, program, '3')
    hide(home)
    found = sorted(glob.glob(os.path.join(directory, 'rotated.*.fxt')))
    assert len(found) == 2, found
    assert not found[0].endswith('0001.fxt'), found
    # The last one may have hardly any samples, or none.
    without_lines(r, found[0])
    for path in found:
        if path == found[-1] and not samples_of(r.dump(path)):
            continue
        assert not any(re.match(r'program\+|libmix.so\+', frame)
                       for frames, _ in r.folded(path) for frame in frames), path
    show(home)


def test_last_and_off_cpu(r, directory):
    """Stacks where threads were switched out have names, too."""
    program, home = build(directory)
    archive = os.path.join(directory, 'last.fxt')
    r.record('-q', '--last', '10s', '--off-cpu', '--embed-symbols', '-o', archive, program, '1')
    plain = without_lines(r, archive)
    expected = [r.folded('--sched', 'off-cpu', '--lines', plain), r.folded('--lines', plain)]
    assert any(frame.startswith('main (') for frames, _ in expected[0] for frame in frames)
    hide(home)
    assert [r.folded('--sched', 'off-cpu', '--lines', archive),
            r.folded('--lines', archive)] == expected
    show(home)


def test_what_is_missing_is_reported(r, directory):
    """A program that is gone when the recording ends."""
    program, home = build(directory)
    copy = os.path.join(directory, 'removed')
    archive = os.path.join(directory, 'removed.fxt')
    shutil.copy(program, copy)
    said = r.record('-F', '2000', '--embed-symbols', '-o', archive, 'sh', '-c',
                    f'{copy} 1; rm {copy}', env=os.environ | {'LD_LIBRARY_PATH': home}).stderr
    assert f'{copy}: not found; ' in said, said
    assert 'libmix.so: not found' not in said, said


def test_files_that_are_deleted_or_replaced_while_they_are_mapped(r, directory):
    """The process has them still, where root may read that; else it is reported what is in
    their place."""
    program, home = build(directory)
    copy = os.path.join(directory, 'gone')
    library = os.path.join(directory, 'libmix.so')
    archive = os.path.join(directory, 'gone.fxt')
    shutil.copy(program, copy)
    shutil.copy(home + '/libmix.so', library)
    with subprocess.Popen([copy, 'z'], env=os.environ | {'LD_PRELOAD': library}) as busy:
        wait_for(lambda: library in open(f'/proc/{busy.pid}/maps', encoding='ascii').read(),
                 'the library')
        os.remove(copy)
        shutil.copy(program, library + '.new')
        os.rename(library + '.new', library)
        said = r.record('-F', '2000', '--embed-symbols', '-d', '1', '-o', archive, '-p',
                        str(busy.pid)).stderr
        busy.kill()
    found = names_of(r.folded('--lines', archive))
    if os.geteuid() == 0:
        assert 'not found' not in said and 'replaced' not in said, said
        assert {'main', 'shared::mix(unsigned'} <= found, found
    # Of what was recorded nothing is there any more.
    said = run(os.path.join(r.tools, 'fxt2folded', 'fxt2folded'), without_lines(r, archive)).stderr
    assert f'{copy}: not found; ' in said, said
    ids = [re.search('Build ID: ([0-9a-f]+)', run('readelf', '-n', path).stdout).group(1)
           for path in (home + '/libmix.so', program)]
    assert f'{library}: replaced: build id {ids[0]}, now {ids[1]}; ' in said, said
    os.remove(library)


def test_an_interrupt_ends_the_search(r, directory):
    """A server that never answers."""
    program, home = build(directory)
    copy = os.path.join(directory, 'unknown')
    archive = os.path.join(directory, 'interrupted.fxt')
    if os.environ.get('HAS_LIBDEBUGINFOD') != '1':
        return
    shutil.copy(program, copy)
    with socket.create_server(('127.0.0.1', 0)) as server:
        server.settimeout(patience.SECONDS)
        recorder = subprocess.Popen(
            r.command('-q', '--embed-symbols', '-o', archive, 'sh', '-c', f'{copy} 1; rm {copy}'),
            stderr=subprocess.PIPE, text=True, env=os.environ | {
                'LD_LIBRARY_PATH': home, 'DEBUGINFOD_CACHE_PATH': directory,
                'DEBUGINFOD_TIMEOUT': str(patience.SECONDS),
                'DEBUGINFOD_URLS': 'http://127.0.0.1:%d' % server.getsockname()[1]})
        connection = server.accept()[0]
        recorder.send_signal(signal.SIGINT)
        said = recorder.communicate(timeout=patience.SECONDS)[1]
        connection.close()
    assert recorder.returncode == 1 and 'interrupted: not all symbols were' in said, said
    records = r.dump(archive)
    assert samples_of(records) and not any(x.get('name') == 'lines' for x in records)


def test_servers_may_be_left_alone(r, directory):
    program, home = build(directory)
    copy = os.path.join(directory, 'unknown')
    archive = os.path.join(directory, 'alone.fxt')
    if os.environ.get('HAS_LIBDEBUGINFOD') != '1':
        return
    with debug_server.Server(debug_server.absent) as server:
        for options, is_asked in (('--no-debuginfod',), False), ((), True):
            shutil.copy(program, copy)
            run(*r.command('-q', '--embed-symbols', *options, '-o', archive, 'sh', '-c',
                           f'{copy} 1; rm {copy}'),
                env=os.environ | {'LD_LIBRARY_PATH': home, 'DEBUGINFOD_CACHE_PATH': directory,
                                  'DEBUGINFOD_TIMEOUT': str(patience.SECONDS),
                                  'DEBUGINFOD_URLS': server.url})
            assert bool(server.asked) == is_asked, server.asked
    assert len(server.asked) == len(set(server.asked)), server.asked


def test_refusals(r, directory):
    for options in ('-o', '-'), ('--regions', directory), ('--gdb', 'localhost:1'):
        command = () if '--gdb' in options else ('true',)
        said = run(r.fxtrecord, '--embed-symbols', *options, *command, status=2).stderr
        assert '--embed-symbols' in said, said
    said = run(r.fxtrecord, '--no-debuginfod', 'true', status=2).stderr
    assert '--no-debuginfod is for --embed-symbols' in said, said
    said = r.record('-q', '--embed-symbols', '-o', '/dev/null', 'true', status=1).stderr
    assert '/dev/null: symbols can be embedded in files only' in said, said


if __name__ == '__main__':
    main(both=(test_files_that_are_gone,),
         perf=(test_files_that_are_deleted_or_replaced_while_they_are_mapped,
               test_archives_one_after_the_other, test_last_and_off_cpu,
               test_what_is_missing_is_reported, test_an_interrupt_ends_the_search,
               test_servers_may_be_left_alone, test_refusals))
