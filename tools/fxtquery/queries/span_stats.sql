-- Spans by name: how many, for how long, and percentiles
SELECT * FROM span_stats ORDER BY total_dur DESC, name, category
