-- Asynchronous operations by name: how many, and for how long
SELECT name, category, count(*) AS count, sum(dur) AS total_dur, min(dur) AS min_dur,
  max(dur) AS max_dur, sum(utid IS NOT end_utid) AS on_other_threads,
  sum(unfinished) AS unfinished
FROM async
GROUP BY name, category
ORDER BY total_dur DESC, name, category
