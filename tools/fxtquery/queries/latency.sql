-- Threads: how long they waited for a CPU each time, percentiles
SELECT thread.name AS thread_name, tid, count(*) AS count,
  min(CASE WHEN 100 * rank >= 50 * n THEN dur END) AS p50_dur,
  min(CASE WHEN 100 * rank >= 99 * n THEN dur END) AS p99_dur,
  max(dur) AS max_dur
FROM (SELECT utid, dur, row_number() OVER (PARTITION BY utid ORDER BY dur) AS rank,
    count(*) OVER (PARTITION BY utid) AS n
  FROM sched WHERE state = 'runnable')
JOIN thread USING (utid)
GROUP BY utid
ORDER BY max_dur DESC, utid
