-- CPUs: how long they ran threads, and how many samples they have
WITH busy AS (
  SELECT cpu, sum(dur) AS running_dur FROM sched WHERE state = 'running' GROUP BY cpu),
sampled AS (SELECT cpu, count(*) AS samples FROM sample WHERE cpu NOTNULL GROUP BY cpu)
SELECT cpu, running_dur, samples
FROM (SELECT cpu FROM busy UNION SELECT cpu FROM sampled)
LEFT JOIN busy USING (cpu) LEFT JOIN sampled USING (cpu)
ORDER BY cpu
