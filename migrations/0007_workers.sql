-- One row a running worker (a process that runs jobs, a thread that sends). Peers judge it by its beat alone: a counter
-- that it raises every 3 s, never a time of day, so that no clock step and no database outage makes it look dead.
create table workers (
  id uuid primary key,
  kind text not null,
  -- Raised by the peer that takes over. Whatever the worker writes is compared with it, so its late writes are refused.
  epoch int not null default 1,
  beat bigint not null default 0,
  -- What this worker's locks in the job queue are called.
  lock_name text,
  host text not null,
  pid int not null,
  started_at timestamptz(3) not null default now(),
  taken_over_at timestamptz(3)
);

-- Timers: when each last fired, by the database's clock. One row each, shared by every process.
create table timers (
  name text primary key,
  last_fired_at timestamptz not null
);
