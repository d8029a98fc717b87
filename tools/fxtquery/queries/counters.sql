-- Counters: how many values, the least, the largest and the last
SELECT DISTINCT counter.name, series, counter_id, process.name AS process_name,
  count(*) OVER whole AS count, min(value) OVER whole AS min, max(value) OVER whole AS max,
  last_value(value) OVER whole AS last
FROM counter LEFT JOIN process USING (upid)
WINDOW whole AS (PARTITION BY counter.name, series, counter_id, upid ORDER BY ts,
  counter.rowid ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)
ORDER BY counter.name, series, counter_id
