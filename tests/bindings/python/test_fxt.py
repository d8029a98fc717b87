# SPDX-License-Identifier: BSD-2-Clause
"""What the objects of the package do: reading, writing, errors, lifetimes."""

import gc
import gzip
import importlib.util
import io
import os
import random
import sys
import threading
import warnings

import fxt
import pytest


def archive(n, **options):
    file = io.BytesIO()
    with fxt.Writer(file, **options) as writer:
        for now in range(n):
            writer.span('net', f'name {now % 7}', now, now + 1, (1, 2), {'now': now})
    return file.getvalue()


def times(reader):
    return [event.timestamp for event in reader.events()]


# ---- Reading ----


def test_events_of_many_buffers_come_in_order():
    data = archive(9000)
    assert len(data) > 1 << 18
    assert times(fxt.Reader(data)) == list(range(9000))


def test_records_larger_than_a_buffer_are_read(tmp_path):
    payload = random.Random(1).randbytes(3000001)
    path = tmp_path / 'large.fxt'
    with fxt.Writer(path) as writer:
        writer.write(fxt.LargeBlob(format=1, category='a', name='b', payload=payload))
        writer.instant('a', 'b', 5, (1, 2))
    records = list(fxt.Reader(path))
    assert [one.payload for one in records if isinstance(one, fxt.LargeBlob)] == [payload]
    assert records[-1].timestamp == 5


def test_gzip_is_read_from_paths_files_and_bytes(tmp_path):
    data = archive(5000)
    path = tmp_path / 'a.fxt.gz'
    path.write_bytes(gzip.compress(data[:1000]) + gzip.compress(data[1000:]))
    assert times(fxt.Reader(path)) == list(range(5000))
    assert times(fxt.Reader(str(path))) == list(range(5000))
    assert times(fxt.Reader(path.read_bytes())) == list(range(5000))
    with open(path, 'rb') as file:
        assert times(fxt.Reader(file)) == list(range(5000))
        assert not file.closed


def test_zstd_is_read_from_paths_and_bytes_frame_by_frame(tmp_path):
    zstandard = pytest.importorskip('zstandard')
    data = archive(5000)
    frames = [zstandard.compress(part) for part in (data[:1000], b'', data[1000:])]
    # A frame that is to be skipped, as pzstd writes them.
    packed = b'\x50\x2a\x4d\x18\x04\0\0\0abcd' + b''.join(frames)
    path = tmp_path / 'a.fxt.zst'
    path.write_bytes(packed)
    assert times(fxt.Reader(path)) == list(range(5000))
    assert times(fxt.Reader(packed)) == list(range(5000))
    found = []
    with pytest.raises(EOFError):
        for event in fxt.Reader(packed[:-len(frames[2]) // 2]).events():
            found.append(event.timestamp)
    assert found == list(range(len(found))) and found
    with pytest.raises(zstandard.ZstdError):
        times(fxt.Reader(packed + b'none'))


def test_without_a_module_for_zstd_the_remedy_is_named(monkeypatch):
    for name in ('compression.zstd', 'zstandard', 'pyzstd'):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ImportError, match='zstandard.*fxtcut'):
        fxt.Reader(b'\x28\xb5\x2f\xfd')


def test_what_is_before_damage_of_gzip_is_read():
    data = gzip.compress(archive(5000))
    found = []
    with pytest.raises(EOFError):
        for event in fxt.Reader(data[:len(data) // 2]).events():
            found.append(event.timestamp)
    assert found == list(range(len(found))) and len(found) > 1000


def test_a_pipe_is_read_as_it_comes():
    data = archive(10)
    read, write = os.pipe()

    def feed():
        for i in range(0, len(data), 5):
            os.write(write, data[i:i + 5])
        os.close(write)

    thread = threading.Thread(target=feed)
    thread.start()
    with open(read, 'rb', buffering=0) as file:
        assert times(fxt.Reader(file)) == list(range(10))
    thread.join()


def test_objects_outlive_their_reader():
    data = bytearray(archive(3))
    reader = fxt.Reader(data)
    events = list(reader.events())
    reader.close()
    data[:] = bytes(len(data))
    del reader
    gc.collect()
    assert [event.arg('now') for event in events] == [0, 1, 2]
    assert events[2].name == 'name 2' and events[2].provider.ticks_per_second == 1000000000


def test_a_loop_goes_on_where_another_stopped():
    reader = fxt.Reader(archive(10))
    assert [next(reader.events()).timestamp for _ in range(3)] == [0, 1, 2]
    assert times(reader) == list(range(3, 10))
    assert times(reader) == []


def test_times_are_exact():
    data = archive(0, ticks_per_second=24000000)
    file = io.BytesIO()
    with fxt.Writer(file, ticks_per_second=24000000) as writer:
        writer.span('a', 'b', 1, (1 << 64) - 1, (1, 2))
    event, = fxt.Reader(file.getvalue()).events()
    assert data and (event.time_ns, event.end_ns) == (41, ((1 << 64) - 1) * 1000000000 // 24000000)


def test_a_closed_reader_says_so():
    reader = fxt.Reader(archive(3))
    events = reader.events()
    next(events)
    reader.close()
    reader.close()
    with pytest.raises(ValueError, match='closed'):
        next(events)
    with pytest.raises(FileNotFoundError):
        fxt.Reader('/does/not/exist')


def test_threads_share_a_reader():
    reader = fxt.Reader(archive(5000))
    found = []
    threads = [threading.Thread(target=lambda: found.extend(times(reader))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == list(range(5000))


# ---- Damage ----


def test_losses_are_warned_of_unless_reports_are_taken():
    data = archive(3)[:-8]
    with pytest.warns(fxt.FxtWarning, match='1 errors.*inside a record'):
        assert times(fxt.Reader(data)) == [0, 1]
    faults = []
    reader = fxt.Reader(data, on_fault=faults.append)
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        assert times(reader) == [0, 1]
    assert [fault.code for fault in faults] == ['truncated'] and reader.n_errors == 1
    assert faults[0].severity is fxt.Severity.ERROR


def test_more_faults_than_are_kept_are_all_reported():
    """A string at index 0, which readers must ignore, and a cut record."""
    data = 10000 * (2 | 1 << 4).to_bytes(8, 'little') + archive(1)[:-8]
    for resync in (False, True):
        faults = []
        list(fxt.Reader(data, on_fault=faults.append, resync=resync))
        assert len(faults) == 10001, (resync, len(faults))
    if importlib.util.find_spec('numpy') is not None:
        faults = []
        fxt.event_columns(data, on_fault=faults.append)
        assert len(faults) == 10001


def test_a_report_may_raise_and_may_close():
    data = archive(3)[:-8]

    def fail(fault):
        raise KeyError(fault.code)

    with pytest.raises(KeyError, match='truncated'):
        times(fxt.Reader(data, on_fault=fail))
    reader = fxt.Reader(data, on_fault=lambda _: reader.close())
    assert times(reader) == [0, 1]


def test_where_framing_is_lost_an_error_follows_what_was_read():
    data = archive(2) + (0x0000000100000004).to_bytes(8, 'little') + bytes(800)
    found = []
    with pytest.raises(fxt.FxtError) as error:
        for event in fxt.Reader(data, on_fault=lambda _: None).events():
            found.append(event.timestamp)
    assert error.value.code == 'size_zero' and found == [0, 1]


def test_damaged_input_never_harms(data):
    """Nor does what is made of it: every object is shown, and written again."""
    rng = random.Random(7)
    with open(f'{data}/every.fxt', 'rb') as file:
        whole = file.read()
    n_records = 0
    for _ in range(150):
        damaged = bytearray(whole[:rng.randrange(len(whole))])
        for _ in range(rng.randrange(20)):
            if damaged:
                damaged[rng.randrange(len(damaged))] = rng.randrange(256)
        writer = fxt.Writer(io.BytesIO())
        reader = fxt.Reader(bytes(damaged), on_fault=str, resync=rng.random() < 0.5)
        try:
            for record in reader:
                n_records += len(repr(record)) > 0
                try:
                    writer.write(record)
                except (fxt.FxtError, TypeError, ValueError, OverflowError):
                    pass
        except fxt.FxtError as error:
            assert error.code == 'size_zero'
    assert n_records > 1000


# ---- Writing ----


def test_all_records_can_be_copied(data):
    file = io.BytesIO()
    refused = []
    with open(f'{data}/every.fxt', 'rb') as original, \
            fxt.Writer(file, ticks_per_second=None) as writer:
        records = list(fxt.Reader(original))
        for record in records:
            try:
                writer.write(record)
            except (fxt.FxtError, TypeError):
                refused.append(record)
    assert len(refused) < len(records) // 3
    kept = [record for record in records if record not in refused]

    def plain(record):
        return {key: value for key, value in vars(record).items()
                if key not in ('offset', 'size', 'provider')}

    # Registrations are the writer's own.
    own = (fxt.StringRegistration, fxt.ThreadRegistration)
    assert [plain(one) for one in fxt.Reader(file.getvalue()) if not isinstance(one, own)] \
        == [plain(one) for one in kept if not isinstance(one, own)]


def test_arguments_have_the_types_of_their_values():
    args = {'null': None, 'bool': True, 'int': -5, 'large': (1 << 64) - 1, 'double': 0.1,
            'text': 'wörd', 'bytes': b'\0\xff', 'empty': ''}
    file = io.BytesIO()
    with fxt.Writer(file) as writer:
        writer.counter('a', 'b', 1, (1, 2), args, counter_id=9)
    event, = fxt.Reader(file.getvalue()).events()
    assert {arg.name: arg.value for arg in event.args} == args
    assert event.id == 9 and event.kind is fxt.EventKind.COUNTER
    assert [arg.type.name for arg in event.args] == [
        'NULL', 'BOOL', 'INT64', 'UINT64', 'DOUBLE', 'STRING', 'BLOB', 'STRING']


def test_names_and_samples_are_written():
    file = io.BytesIO()
    with fxt.Writer(file) as writer:
        writer.process_name(1, 'server')
        writer.thread_name(1, 2, 'worker')
        writer.sample(5, (1, 2), [0x1000, (1 << 64) - 1])
    assert [sample.pcs for sample in fxt.Reader(file.getvalue()).samples()] \
        == [(0x1000, (1 << 64) - 1)]
    assert fxt.Profile(file.getvalue()).write('folded') \
        == b'server[1];0xffffffffffffffff;0x1000 1\n'


def test_what_cannot_be_represented_is_refused():
    file = io.BytesIO()
    with fxt.Writer(file) as writer:
        with pytest.raises(fxt.FxtError) as error:
            writer.span('a', 'b', 5, 4, (1, 2))
        assert error.value.code == 'end_before_begin'
        for thread, args in (((-1, 2), {}), ((1, 1 << 64), {}), ((1, 2), {'x': 1 << 64})):
            with pytest.raises(OverflowError):
                writer.instant('a', 'b', 5, thread, args)
        with pytest.raises(TypeError):
            writer.instant('a', 'b', 5, (1, 2), {'x': object()})
        writer.instant('a', 'c', 6, (1, 2))
    assert [event.name for event in fxt.Reader(file.getvalue()).events()] == ['c']
    with pytest.raises(ValueError, match='closed'):
        writer.instant('a', 'c', 6, (1, 2))


def test_errors_of_the_file_are_raised():
    class Full(io.BytesIO):
        def write(self, data):
            raise OSError(28, 'full')

    writer = fxt.Writer(Full())
    writer.instant('a', 'b', 1, (1, 2))
    with pytest.raises(OSError, match='full'):
        writer.close()
    with pytest.raises(FileNotFoundError):
        fxt.Writer('/does/not/exist')


# ---- Columns and profiles ----


def test_columns_are_what_events_are(data):
    numpy = pytest.importorskip('numpy')
    # More than one batch.
    for source in (archive(1000, ticks_per_second=24000000) * 66, archive(0),
                   f'{data}/every.fxt', f'{data}/every_big_endian.fxt', f'{data}/redefined.fxt',
                   f'{data}/region.bin.gz'):
        columns = fxt.event_columns(source, on_fault=str)
        events = list(fxt.Reader(source, on_fault=str).events())
        expected = {
            'time_ns': [min(event.time_ns, (1 << 64) - 1) for event in events],
            'end_ns': [min(event.end_ns, (1 << 64) - 1) for event in events],
            'thread': [event.thread.thread for event in events],
            'kind': [event.kind for event in events],
            'provider_id': [event.provider.id for event in events]}
        for name, values in expected.items():
            assert columns[name].tolist() == values, (source, name)
        for name in ('category', 'name'):
            texts = [getattr(event, name) for event in events]
            assert columns[name].tolist() == [
                None if isinstance(text, fxt.UnknownString) else text for text in texts]
        assert isinstance(columns['id'], numpy.ndarray)


def test_columns_of_damaged_input_are_what_is_left(data):
    pytest.importorskip('numpy')
    with pytest.warns(fxt.FxtWarning):
        assert fxt.event_columns(archive(3)[:-8])['time_ns'].tolist() == [0, 1]
    for source in (archive(3)[:-8], f'{data}/damaged.fxt', f'{data}/hostile.fxt'):
        columns = fxt.event_columns(source, resync=True, on_fault=str)
        events = list(fxt.Reader(source, resync=True, on_fault=str).events())
        assert columns['process'].tolist() == [event.thread.process for event in events]


def test_a_frame_has_categories(data):
    pytest.importorskip('pandas')
    frame = fxt.event_frame(archive(70))
    assert len(frame) == 70 and frame['name'].value_counts()['name 3'] == 10
    assert (frame['end_ns'] - frame['time_ns']).tolist() == [1] * 70
    every = fxt.event_frame(f'{data}/every.fxt', on_fault=str)
    assert len(every) == len(list(fxt.Reader(f'{data}/every.fxt', on_fault=str).events()))


def test_profiles_are_made(data):
    profile = fxt.Profile(f'{data}/region.bin')
    assert gzip.decompress(profile.pprof())
    assert profile.value_types == [('samples', 'count')]
    assert 'dropped by the sampler' in profile.losses[0]
    sample = next(iter(profile))
    assert sample.frames[0].address == 0xffffffff80100f6f and sample.cpu == 0
    with pytest.raises(ValueError, match='no format'):
        profile.write('nothing')


def test_profiles_report_what_is_wrong():
    said = []
    fxt.Profile(archive(3)[:-8], source='spans', on_report=said.append)
    assert any('inside a record' in one for one in said), said
    with pytest.raises(fxt.FxtError, match='/does/not/exist'):
        fxt.Profile('/does/not/exist')

    def fail(_):
        raise KeyError('mine')

    with pytest.raises(KeyError, match='mine'):
        fxt.Profile(archive(3)[:-8], source='spans', on_report=fail)
