-- Functions by the samples in them (self), and in what they call, too (total)
SELECT name, module, source_file, event, self,
  round(100.0 * self / (SELECT sum(count) FROM sample AS s WHERE s.event IS t.event), 1)
    AS self_percent,
  total
FROM top_functions AS t
ORDER BY self DESC, total DESC, name, module, source_file
LIMIT 30
