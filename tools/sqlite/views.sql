-- Percentiles are of the nearest rank, as those of fxtreport: the smallest duration that
-- this share of all does not exceed.
CREATE VIEW span_stats AS
SELECT name, category, count(*) AS count, sum(dur) AS total, sum(self_dur) AS self,
  min(dur) AS min,
  max(CASE WHEN rank = (50 * n + 99) / 100 THEN dur END) AS p50,
  max(CASE WHEN rank = (90 * n + 99) / 100 THEN dur END) AS p90,
  max(CASE WHEN rank = (99 * n + 99) / 100 THEN dur END) AS p99,
  max(dur) AS max, sum(unfinished) AS unfinished
FROM (SELECT name, category, dur, self_dur, unfinished,
    row_number() OVER (PARTITION BY name, category ORDER BY dur) AS rank,
    count(*) OVER (PARTITION BY name, category) AS n
  FROM slice)
GROUP BY name, category;

-- Self is of the samples in the function itself, total of those in what it calls, too. A
-- sample counts once for each function, also where that calls itself.
CREATE VIEW top_functions AS
WITH weight AS (
  SELECT stack_id, event, unit, sum(count) AS count, sum(value) AS value
  FROM sample GROUP BY stack_id, event, unit),
place AS (
  SELECT stack_id, name, module, min(position) AS position
  FROM stack_frame JOIN frame ON frame.id = frame_id GROUP BY stack_id, name, module)
SELECT name, module, event, unit,
  sum(CASE WHEN position = 0 THEN count ELSE 0 END) AS self,
  sum(count) AS total,
  sum(CASE WHEN position = 0 THEN value ELSE 0 END) AS self_value,
  sum(value) AS total_value
FROM weight JOIN place USING (stack_id)
GROUP BY name, module, event, unit;

CREATE VIEW thread_states AS
SELECT utid, tid, thread.name AS thread_name, pid, process.name AS process_name, state,
  count(*) AS count, sum(dur) AS dur
FROM sched JOIN thread USING (utid) LEFT JOIN process USING (upid)
GROUP BY utid, state;

-- Folded stacks, the root first, as flame graphs are drawn from.
CREATE VIEW flame AS
WITH path AS (
  SELECT DISTINCT stack_id, group_concat(replace(frame.name, ';', ':'), ';') OVER (
      PARTITION BY stack_id ORDER BY position DESC
      ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS stack
  FROM stack_frame JOIN frame ON frame.id = frame_id)
SELECT stack, event, unit, sum(count) AS count, sum(value) AS value
FROM sample JOIN path USING (stack_id)
GROUP BY stack, event, unit;

-- Slices with the names of their threads and processes.
CREATE VIEW thread_slice AS
SELECT slice.*, tid, thread.name AS thread_name, upid, pid, process.name AS process_name
FROM slice LEFT JOIN thread USING (utid) LEFT JOIN process USING (upid);
