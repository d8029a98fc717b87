-- Folded stacks of all samples, the root first; for --folded
SELECT stack, sum(count) AS count FROM flame GROUP BY stack ORDER BY stack
