-- People who are put into an automation by hand: a job goes through them in pieces. A piece, its runs, the sums and how far it has come are
-- one commit, so nobody is let in twice, whatever is cut off.
create table automation_enrollments (
  account_id uuid not null,
  id uuid not null,
  automation_id uuid not null,
  status text not null default 'queued' check (status in ('queued', 'running', 'completed', 'canceled', 'failed')),
  -- Who they are: these people, a segment, or, where both are null, everybody on the list. The ids are removed when it has ended.
  subscriber_ids uuid[],
  segment_id uuid,
  whom text not null check (whom in ('subscribers', 'segment', 'everyone')),
  spread_minutes int not null,
  -- How many there are; null until they are counted.
  total int,
  -- How many have been looked at, and how many of these entered; the others by why.
  processed int not null default 0,
  entered int not null default 0,
  skipped jsonb not null default '{}',
  -- The last of the list that was looked at.
  after_created_at timestamptz(3),
  after_id uuid,
  error text,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  finished_at timestamptz(3),
  primary key (account_id, id)
);
create index automation_enrollments_by_age on automation_enrollments (account_id, automation_id, created_at, id);
