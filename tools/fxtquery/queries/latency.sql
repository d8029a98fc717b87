-- Threads: how long they waited for a CPU each time, percentiles
SELECT thread.name AS thread_name, tid, count(*) AS count,
  max(CASE WHEN rank = (50 * n + 99) / 100 THEN dur END) AS p50_dur,
  max(CASE WHEN rank = (99 * n + 99) / 100 THEN dur END) AS p99_dur,
  max(dur) AS max_dur
FROM (SELECT utid, dur, row_number() OVER (PARTITION BY utid ORDER BY dur) AS rank,
    count(*) OVER (PARTITION BY utid) AS n
  FROM sched WHERE state = 'runnable')
JOIN thread USING (utid)
GROUP BY utid
ORDER BY max_dur DESC, utid
