-- Folded stacks of all samples, or of what heaps have left; for --folded
SELECT stack, sum(count) AS count
FROM flame
WHERE coalesce(event, '') NOT IN ('alloc_space', 'temporary_objects')
GROUP BY stack
ORDER BY stack
