-- Spans by name: the time that was spent in no inner span
SELECT name, category, count(*) AS count, sum(self_dur) AS self_dur,
  round(100.0 * sum(self_dur) / nullif((SELECT sum(self_dur) FROM slice), 0), 1) AS percent
FROM slice
GROUP BY name, category
ORDER BY self_dur DESC, name, category
