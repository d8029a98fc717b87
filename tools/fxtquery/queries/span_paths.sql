-- Spans by the names that they are nested in, the outermost first; for --folded
WITH RECURSIVE path (id, stack, self_dur) AS (
  SELECT id, replace(name, ';', ':'), self_dur FROM slice WHERE parent_id IS NULL
  UNION ALL
  SELECT slice.id, stack || ';' || replace(name, ';', ':'), slice.self_dur
  FROM slice JOIN path ON slice.parent_id = path.id)
SELECT stack, sum(self_dur) AS self_dur FROM path GROUP BY stack ORDER BY stack
