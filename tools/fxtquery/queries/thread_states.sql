-- Threads: how long they ran, could have run, and were blocked
SELECT process_name, thread_name, tid,
  sum(dur) FILTER (WHERE state = 'running') AS running_dur,
  sum(dur) FILTER (WHERE state = 'runnable') AS runnable_dur,
  sum(dur) FILTER (WHERE state IN ('blocked', 'suspended')) AS blocked_dur
FROM thread_states
GROUP BY utid
ORDER BY running_dur DESC, utid
