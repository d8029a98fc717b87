-- Threads: their samples, spans and running time
SELECT process.name AS process_name, pid, thread.name AS thread_name, tid,
  (SELECT count(*) FROM sample WHERE sample.utid = thread.utid) AS samples,
  (SELECT count(*) FROM slice WHERE slice.utid = thread.utid) AS spans,
  (SELECT sum(dur) FROM sched
    WHERE sched.utid = thread.utid AND state = 'running') AS running_dur
FROM thread LEFT JOIN process USING (upid)
ORDER BY process.upid, thread.utid
