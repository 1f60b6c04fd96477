-- Automations run: what is published is frozen as a version, a run is one passage of one subscriber through it, and the journal has a row for
-- every step that a run has left. No row below refers to another by a foreign key: a step writes thousands of them a second, and who removes
-- an automation or a subscriber removes what hangs on it.

alter table automations
  add column state text not null default 'draft' check (state in ('draft', 'live', 'paused', 'draining', 'archived')),
  -- The version that is published; 0 where none is.
  add column version int not null default 0,
  add column state_changed_at timestamptz(3),
  add column paused_at timestamptz(3);
-- Those whose people move, over all accounts: the executor looks at the front of each.
create index automations_running on automations (account_id, id) where state in ('live', 'draining');

-- What was published. The type is json, because entity tags are made of the text and steps keep their order. `emails` is {step: revision id}.
create table automation_versions (
  account_id uuid not null references accounts,
  automation_id uuid not null,
  number int not null,
  graph json not null,
  emails jsonb not null default '{}',
  published_at timestamptz(3) not null,
  published_by_kind text,
  published_by_id uuid,
  primary key (account_id, automation_id, number)
);

-- Runs. One that is active stands at `node` since `arrived_at`, on its `visit`th visit, counted from 1 without gaps, and is looked at when
-- `due_at` has come. Times first, then ids, then texts: so a row has no bytes between its columns.
create table automation_runs (
  entered_at timestamptz(3) not null,
  arrived_at timestamptz(3) not null,
  due_at timestamptz(3) not null,
  ended_at timestamptz(3),
  version int not null,
  visit smallint not null default 1,
  -- How many automations brought this about, one by another.
  cause_depth smallint not null default 0,
  account_id uuid not null,
  automation_id uuid not null,
  id uuid not null,
  subscriber_id uuid not null,
  -- A property of the event by which somebody may be in several runs at once, such as a cart's id.
  key text not null default '',
  node text not null,
  state text not null default 'active' check (state in ('active', 'completed', 'exited')),
  -- Why it is looked at: it has just come, its time has come, or what it waits for has happened.
  woken_by text not null default 'arrival' check (woken_by in ('arrival', 'time', 'event')),
  -- As what it ended: completed, goal, exit, unsubscribed, bounced, suppressed, canceled, too_many_visits and the like.
  ended_as text,
  -- Those of the segments named by exits of which the person was a member when the run began: only these can be left.
  segments uuid[],
  primary key (account_id, id)
);
-- The front of each automation.
create index automation_runs_due on automation_runs (account_id, automation_id, due_at) where state = 'active';
-- One run at a time for a person and a key; and the active runs of a person.
create unique index automation_runs_active on automation_runs (account_id, subscriber_id, automation_id, key) where state = 'active';
-- Who stands at a step. Its keys repeat, so it takes few bytes a run.
create index automation_runs_at_node on automation_runs (account_id, automation_id, node) where state = 'active';
create index automation_runs_ended on automation_runs (account_id, automation_id, ended_at, id) where state <> 'active';
create index automation_runs_ended_of on automation_runs (account_id, subscriber_id) where state <> 'active';

-- Who entered before, which the rules of re-entry ask. It outlives runs.
create table automation_gates (
  account_id uuid not null,
  automation_id uuid not null,
  subscriber_id uuid not null,
  key text not null default '',
  last_entered_at timestamptz(3) not null,
  -- How often on `day`, by UTC.
  day date not null,
  entries smallint not null,
  primary key (account_id, subscriber_id, automation_id, key)
);
create index automation_gates_of on automation_gates (account_id, automation_id);

-- One row for each visit that a run has finished; nothing changes it.
create table automation_journal (
  account_id uuid not null,
  run_id uuid not null,
  visit smallint not null,
  version int not null,
  arrived_at timestamptz(3) not null,
  left_at timestamptz(3) not null,
  automation_id uuid not null,
  node text not null,
  -- By which way; null where the run ended there.
  way text,
  reason text not null,
  -- The row of the ledger that an e-mail step made; null for other steps, and where the person could not be mailed.
  source_id uuid,
  contact_id uuid,
  primary key (account_id, run_id, visit)
);

-- Sums of all that runs do, written with it. `node` is '' for the whole automation: entered, completed, exited:<as>; a step has entered,
-- left:<way> and exited:<as>. Who stands there is what is left. Several shards keep two workers from waiting for each other.
create table automation_counts (
  account_id uuid not null,
  automation_id uuid not null,
  node text not null default '',
  what text not null,
  shard smallint not null,
  count bigint not null,
  primary key (account_id, automation_id, node, what, shard)
);

-- The sources that e-mail steps opened. The newest that is open takes recipients; who is in it already goes into a new one.
create table automation_waves (
  account_id uuid not null,
  source_id uuid not null,
  automation_id uuid not null,
  node text not null,
  revision_id uuid not null,
  opened_at timestamptz(3) not null,
  closed_at timestamptz(3),
  primary key (account_id, source_id)
);
create index automation_waves_of on automation_waves (account_id, automation_id, node, opened_at);
-- What is to be closed, over all accounts.
create index automation_waves_open on automation_waves (opened_at) where closed_at is null;

-- What steps tell others, by HTTP and by mail to people of the account. The id stays the same for every attempt. A row is removed once it
-- was told, or given up.
create table automation_outbox (
  account_id uuid not null,
  id uuid not null,
  automation_id uuid not null,
  run_id uuid not null,
  subscriber_id uuid not null,
  visit smallint not null,
  node text not null,
  kind text not null check (kind in ('webhook', 'notify')),
  -- What the step says: an address, or who is told what.
  told jsonb not null,
  happened_at timestamptz(3) not null,
  attempts smallint not null default 0,
  next_at timestamptz(3) not null,
  error text,
  primary key (account_id, id)
);
-- What is due, over all accounts.
create index automation_outbox_due on automation_outbox (next_at);
create index automation_outbox_of on automation_outbox (account_id, subscriber_id);
create index automation_outbox_of_automation on automation_outbox (account_id, automation_id);

-- Forgetting somebody removes their runs, gates, journal and what is still to be told of them, in the same transaction. The sums stay; an
-- active run counts as one that ended because of the deletion, so that entered = active + completed + exited holds for ever.
create function forget_automation_runs() returns trigger language plpgsql as $$
begin
  if not exists (select from gone) then
    return null;
  end if;
  delete from automation_gates g using gone where g.account_id = gone.account_id and g.subscriber_id = gone.id;
  delete from automation_outbox o using gone where o.account_id = gone.account_id and o.subscriber_id = gone.id;
  -- Each of the two deletions has an index of its own.
  with removed as (
    delete from automation_runs r using gone
    where r.account_id = gone.account_id and r.subscriber_id = gone.id and r.state = 'active'
    returning r.account_id, r.id, r.automation_id, r.node
  ), removed_ended as (
    delete from automation_runs r using gone
    where r.account_id = gone.account_id and r.subscriber_id = gone.id and r.state <> 'active'
    returning r.account_id, r.id
  ), unwritten as (
    delete from automation_journal j
    using (select account_id, id from removed union all select account_id, id from removed_ended) as r
    where j.account_id = r.account_id and j.run_id = r.id
  )
  insert into automation_counts as known (account_id, automation_id, node, what, shard, count)
  select r.account_id, r.automation_id, place.node, 'exited:deleted', 0, count(*)
  from removed r cross join lateral (values (''), (r.node)) as place (node)
  group by 1, 2, 3 order by 1, 2, 3
  on conflict (account_id, automation_id, node, what, shard) do update set count = known.count + excluded.count;
  return null;
end $$;
create trigger subscribers_forgotten_by_automations after delete on subscribers
  referencing old table as gone for each statement execute function forget_automation_runs();
