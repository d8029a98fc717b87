-- Flows: from which span to which one they went, how often, and for how long
SELECT name, from_span, to_span, count(*) AS count, min(dur) AS min_dur,
  sum(dur) / count(*) AS mean_dur, max(dur) AS max_dur
FROM (SELECT flow.name, slice.name AS to_span,
    lag(slice.name) OVER steps AS from_span, ts - lag(flow.ts) OVER steps AS dur
  FROM (SELECT name, flow, id, ts, slice_id FROM flow) AS flow
  LEFT JOIN (SELECT id, name FROM slice) AS slice ON slice.id = slice_id
  WINDOW steps AS (PARTITION BY flow ORDER BY flow.ts, flow.id))
WHERE dur NOTNULL
GROUP BY name, from_span, to_span
ORDER BY count DESC, name, from_span, to_span
