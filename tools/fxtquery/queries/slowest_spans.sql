-- The spans that lasted longest, with their threads and arguments
SELECT name, dur, self_dur, ts, thread_name, tid, process_name, (
    SELECT group_concat(key || '=' || coalesce(string_value, int_value, real_value), ' ')
    FROM args WHERE args.arg_set_id = thread_slice.arg_set_id) AS args
FROM thread_slice
ORDER BY dur DESC, id
LIMIT 20
