-- Which thread woke which one, how often, and how long that one then waited for a CPU
SELECT waker.name AS waker, waker.tid AS waker_tid, woken.name AS woken,
  woken.tid AS woken_tid, count(*) AS count, sum(dur) AS waited_dur
FROM sched JOIN thread AS waker ON waker.utid = waker_utid
JOIN thread AS woken ON woken.utid = sched.utid
WHERE state = 'runnable'
GROUP BY waker_utid, sched.utid
ORDER BY count DESC, waker_tid, woken_tid
