-- Percentiles are of the nearest rank, as those of fxtreport: the smallest duration that
-- this share of all does not exceed. A sum beyond 2^63 - 1, which damaged times make, is
-- that: it is added up by halves of 32 bits, since sum() fails where it overflows.
CREATE VIEW span_stats AS
SELECT name, category, count,
  CASE WHEN high + (low >> 32) < 2147483648 THEN (high << 32) + low
    ELSE 9223372036854775807 END AS total_dur,
  CASE WHEN self_high + (self_low >> 32) < 2147483648 THEN (self_high << 32) + self_low
    ELSE 9223372036854775807 END AS self_dur,
  min_dur, p50_dur, p90_dur, p99_dur, max_dur, unfinished
FROM (SELECT name, category, count(*) AS count,
    sum(dur >> 32) AS high, sum(dur & 4294967295) AS low,
    sum(self_dur >> 32) AS self_high, sum(self_dur & 4294967295) AS self_low,
    min(dur) AS min_dur,
    min(CASE WHEN 100 * rank >= 50 * n THEN dur END) AS p50_dur,
    min(CASE WHEN 100 * rank >= 90 * n THEN dur END) AS p90_dur,
    min(CASE WHEN 100 * rank >= 99 * n THEN dur END) AS p99_dur,
    max(dur) AS max_dur, sum(unfinished) AS unfinished
  FROM (SELECT name, category, dur, self_dur, unfinished,
      row_number() OVER (PARTITION BY name, category ORDER BY dur) AS rank,
      count(*) OVER (PARTITION BY name, category) AS n
    FROM slice)
  GROUP BY name, category);

-- Self is of the samples in the function itself, total of those in what it calls, too. A
-- sample counts once for each function, also where that calls itself. Functions of one
-- name and module are told apart by their source files.
CREATE VIEW top_functions AS
WITH weight AS (
  SELECT stack_id, event, unit, sum(count) AS count, sum(value) AS value
  FROM sample GROUP BY stack_id, event, unit),
place AS (
  SELECT stack_id, name, module, source_file, min(position) AS position
  FROM stack_frame JOIN frame ON frame.id = frame_id
  GROUP BY stack_id, name, module, source_file)
SELECT name, module, source_file, event, unit,
  sum(CASE WHEN position = 0 THEN count ELSE 0 END) AS self,
  sum(count) AS total,
  sum(CASE WHEN position = 0 THEN value ELSE 0 END) AS self_value,
  sum(value) AS total_value
FROM weight JOIN place USING (stack_id)
GROUP BY name, module, source_file, event, unit;

CREATE VIEW thread_states AS
SELECT utid, tid, thread.name AS thread_name, pid, process.name AS process_name, state,
  count, CASE WHEN high + (low >> 32) < 2147483648 THEN (high << 32) + low
    ELSE 9223372036854775807 END AS dur
FROM (SELECT utid, state, count(*) AS count, sum(dur >> 32) AS high,
    sum(dur & 4294967295) AS low
  FROM sched GROUP BY utid, state)
JOIN thread USING (utid) LEFT JOIN process USING (upid);

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
