-- Adds jobs to the queue, each of them for certain. A job under whose key another runs takes its place there; but one that is being taken out of the
-- queue at this very moment looks free when the queue lets go of the keys of those that run, and is locked when it comes to insert: then the queue's
-- own function adds nothing. So whatever wasn't added is added again, by when the lock is seen. A job that lost its key is marked, so that it can be
-- told from one that failed for good. The queue's tables are made after this, which is why none of their types is declared here.
create function queue_jobs(
  names text[], payloads text[], keys text[], run_ats timestamptz[], most_attempts int[], priorities int[]
) returns void language plpgsql as $$
declare
  missing int[] := array(select generate_subscripts(names, 1));
  added text[];
begin
  while cardinality(missing) > 0 loop
    update graphile_worker._private_jobs as jobs
    set key = null, attempts = jobs.max_attempts, flags = coalesce(jobs.flags, '{}') || '{"replaced": true}', updated_at = now()
    where jobs.key = any(keys) and jobs.is_available is not true;

    added := array(
      select made.key from graphile_worker.add_jobs(array(
        select row(names[n], payloads[n]::json, null, run_ats[n], most_attempts[n]::smallint, keys[n], priorities[n]::smallint, null)
          ::graphile_worker.job_spec
        from unnest(missing) as n order by n)) as made
      where made.key is not null);

    missing := array(select n from unnest(missing) as n where keys[n] is not null and keys[n] <> all (added));
  end loop;
end $$;
