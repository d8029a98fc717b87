# SPDX-License-Identifier: BSD-2-Clause
"""What the package hands out is what fxtdump and fxt2folded print."""

import gzip
import json
import struct
import subprocess
import zlib

import fxt
import pytest
import records_agree

HEX = {'magic', 'pointer', 'start', 'vaddr'}
TYPES = {fxt.Metadata: 0, fxt.Initialization: 1, fxt.StringRegistration: 2,
         fxt.ThreadRegistration: 3, fxt.Event: 4, fxt.Blob: 5, fxt.UserspaceObject: 6,
         fxt.KernelObject: 7, fxt.Scheduling: 8, fxt.Log: 9, fxt.Module: 10, fxt.Mapping: 10,
         fxt.Backtrace: 10, fxt.LargeBlob: 15}
PROFILER = {fxt.Module: 0, fxt.Mapping: 1, fxt.Backtrace: 2}


def text(value):
    return {'ref': value.ref} if isinstance(value, fxt.UnknownString) else str(value)


def thread(value, prefix='', whole=True):
    if not value.known:
        made = {f'{prefix}process': None, f'{prefix}thread': None,
                f'{prefix}thread_ref': value.ref}
    else:
        made = {f'{prefix}process': value.process, f'{prefix}thread': value.thread}
    return made if whole else {key: one for key, one in made.items() if key != 'thread'}


def ns(provider, ticks):
    made = provider.to_ns(ticks)
    return made if made < 1 << 64 else None


def arg(one):
    value = one.value
    if one.type == fxt.ArgType.DOUBLE:
        value = {'bits': struct.unpack('<Q', struct.pack('<d', value))[0]}
    elif one.type == fxt.ArgType.POINTER:
        value = hex(value)
    elif one.type == fxt.ArgType.STRING:
        value = text(value)
    elif one.type == fxt.ArgType.BLOB:
        value = value.hex()
    return {'name': text(one.name), 'type': one.type, 'value': value}


def times(record):
    return {'timestamp': record.timestamp, 'time_ns': ns(record.provider, record.timestamp)}


def args(record):
    return {'args': [arg(one) for one in record.args]}


def metadata(m):
    kinds = fxt.MetadataKind
    if m.kind == kinds.PROVIDER_INFO:
        fields = {'provider_id': m.provider_id, 'name': text(m.name)}
    elif m.kind == kinds.PROVIDER_SECTION:
        fields = {'provider_id': m.provider_id}
    elif m.kind == kinds.PROVIDER_EVENT:
        fields = {'provider_id': m.provider_id, 'event': m.event}
    elif m.kind == kinds.TRACE_INFO:
        fields = {'trace_info': m.trace_info}
        if m.trace_info == 0:
            fields['magic'] = hex(m.magic)
    else:
        fields = {}
    return {'metadata': m.kind, **fields}


def initialization(init):
    made = {'ticks_per_second': init.ticks_per_second}
    if init.base is not None:
        made.update(base_ticks=init.base[0], base_wall_ns=init.base[1])
    return made


def event(e):
    made = {'event': e.kind, **times(e), **thread(e.thread), 'category': text(e.category),
            'name': text(e.name), **args(e)}
    if e.kind == fxt.EventKind.COUNTER:
        made['counter_id'] = e.id
    elif e.kind == fxt.EventKind.DURATION_COMPLETE:
        made.update(end_timestamp=e.end_timestamp, end_time_ns=ns(e.provider, e.end_timestamp))
    elif 5 <= e.kind <= 7:
        made['async_id'] = e.id
    elif 8 <= e.kind <= 10:
        made['flow_id'] = e.id
    return made


def scheduling(s):
    made = {'scheduling': s.kind, **times(s), 'cpu': s.cpu}
    if s.kind == fxt.SchedulingKind.THREAD_WAKEUP:
        return {**made, 'waking_thread': s.waking_thread, **args(s)}
    made['outgoing_state'] = s.outgoing_state
    if s.kind == fxt.SchedulingKind.CONTEXT_SWITCH:
        return {**made, 'outgoing_thread': s.outgoing.thread,
                'incoming_thread': s.incoming.thread, **args(s)}
    return {**made, **thread(s.outgoing, 'outgoing_'), **thread(s.incoming, 'incoming_'),
            'outgoing_priority': s.outgoing_priority,
            'incoming_priority': s.incoming_priority}


def module(m):
    return {'profiler': 0, **times(m), **thread(m.process, whole=False),
            'module_id': m.module_id, 'name': text(m.name), 'build_id': m.build_id}


def mapping(m):
    return {'profiler': 1, **times(m), **thread(m.process, whole=False),
            'module_id': m.module_id, 'start': hex(m.start), 'length': m.length,
            'vaddr': hex(m.vaddr), 'flags': m.flags}


def backtrace(b):
    return {'profiler': 2, **times(b), **thread(b.thread), 'pcs': [hex(pc) for pc in b.pcs]}


def large_blob(b):
    made = {'format': b.format, 'category': text(b.category), 'name': text(b.name)}
    if b.format == 0:
        made.update({**times(b), **thread(b.thread), **args(b)})
    return {**made, 'payload_size': len(b.payload), 'payload': b.payload.hex()}


def unknown(u):
    if u.type in (8, 10):
        return {'type': u.type, 'scheduling' if u.type == 8 else 'profiler': u.kind}
    made = {'type': 'unknown', 'record_type': u.type}
    if u.type == 15:
        made['large_type'] = u.kind
        if u.kind == 0:
            made['blob_format'] = u.format
    return made


MAKE = {
    fxt.Metadata: metadata, fxt.Initialization: initialization,
    fxt.StringRegistration: lambda s: {'index': s.index, 'value': text(s.value)},
    fxt.ThreadRegistration: lambda t: {'index': t.index, 'process': t.process,
                                       'thread': t.thread},
    fxt.Event: event,
    fxt.Blob: lambda b: {'name': text(b.name), 'blob_type': b.type,
                         'payload_size': len(b.payload), 'payload': b.payload.hex()},
    fxt.UserspaceObject: lambda o: {'pointer': hex(o.pointer),
                                    **thread(o.process, whole=False), 'name': text(o.name),
                                    **args(o)},
    fxt.KernelObject: lambda o: {'object_type': o.type, 'koid': o.koid, 'name': text(o.name),
                                 **args(o)},
    fxt.Scheduling: scheduling,
    fxt.Log: lambda one: {**times(one), **thread(one.thread), 'message': text(one.message)},
    fxt.Module: module, fxt.Mapping: mapping, fxt.Backtrace: backtrace,
    fxt.LargeBlob: large_blob, fxt.Unknown: unknown}


def samples_of(path, resync):
    """By another reader, in the same order as all records."""
    found = []
    try:
        for sample in fxt.Reader(path, resync=resync, on_fault=lambda _: None).samples():
            found.append(sample)
    except (fxt.FxtError, EOFError, gzip.BadGzipFile, zlib.error):
        pass
    return found


def dump_file(path, region, resync, lines):
    def add(offset, size, fields):
        lines.append(json.dumps({'offset': offset, 'size': size, 'region': region, **fields}))

    def on_fault(fault):
        if fault.severity >= fxt.Severity.ERROR:
            is_last = fault.severity == fxt.Severity.FATAL
            add(fault.offset, None if is_last else fault.skipped,
                {'type': 'error', 'code': fault.code})

    samples = iter(samples_of(path, resync))
    try:
        for record in fxt.Reader(path, resync=resync, on_fault=on_fault):
            fields = {'type': TYPES.get(type(record)), **MAKE[type(record)](record)}
            is_sample = isinstance(record, fxt.Backtrace) and record.pcs
            if isinstance(record, fxt.LargeBlob) and record.format == 0:
                is_sample = [record.category, record.name] == ['', ''] \
                    and len(record.payload) >= 8
            if is_sample:
                sample = next(samples)
                assert sample.timestamp == record.timestamp
                fields['pcs'] = [hex(pc) for pc in sample.pcs]
            add(record.offset, record.size, fields)
    except fxt.FxtError as error:
        assert error.code == 'size_zero', error
    except (EOFError, gzip.BadGzipFile, zlib.error):
        add(None, None, {'type': 'error', 'code': 'unreadable'})
    assert next(samples, None) is None


def dump(paths, resync):
    lines = []
    for region, path in enumerate(paths):
        dump_file(path, region, resync, lines)
    return lines


def test_all_streams_are_read_as_by_fxtdump(source, build):
    records_agree.compare(f'{build}/tools/fxtdump/fxtdump', source, dump, compressed=True)


@pytest.mark.parametrize('name, options, flags', [
    ('region.bin', {}, []), ('every.fxt', {'source': 'spans'}, ['--spans']),
    ('every.fxt', {'resync': True}, ['--resync'])])
def test_profiles_are_those_of_fxt2folded(data, build, name, options, flags):
    tool = f'{build}/tools/fxt2folded/fxt2folded'
    done = subprocess.run([tool, '-q', *flags, f'{data}/{name}'], capture_output=True,
                          check=False)
    profile = fxt.Profile(f'{data}/{name}', **options)
    assert profile.write('folded') == done.stdout
    n_expected = sum(int(line.rsplit(b' ', 1)[1]) for line in done.stdout.splitlines())
    value = 1 if options.get('source') == 'spans' else 0
    assert sum(sample.values[value] for sample in profile) == n_expected
