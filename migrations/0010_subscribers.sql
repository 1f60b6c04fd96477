create table subscribers (
  account_id uuid not null,
  id uuid not null,
  list_id uuid not null,
  contact_id uuid not null,
  email text not null,
  -- What the address is compared and sorted by.
  email_key text not null collate "C",
  first_name text,
  last_name text,
  -- {"<slot>": value}; see fields.
  fields jsonb not null,
  locale text,
  time_zone text,
  status text not null,
  status_reason text,
  source text not null,
  -- The last proof of consent after the row was made: it outweighs an earlier opt-out from everything.
  consented_at timestamptz(3),
  confirmed_at timestamptz(3),
  unsubscribed_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (account_id, id)
);

-- One address once on a list; and all lists of an address.
create unique index subscribers_by_contact on subscribers (account_id, contact_id, list_id);
-- The pages: of one list and of all, by each sort.
create index subscribers_of_list_by_age on subscribers (account_id, list_id, created_at, id);
create index subscribers_of_list_by_change on subscribers (account_id, list_id, updated_at, id);
create index subscribers_of_list_by_email on subscribers (account_id, list_id, email_key, id);
create index subscribers_of_list_by_status on subscribers (account_id, list_id, status, created_at, id);
create index subscribers_by_age on subscribers (account_id, created_at, id);
create index subscribers_by_change on subscribers (account_id, updated_at, id);
create index subscribers_by_email on subscribers (account_id, email_key, id);
create index subscribers_by_status on subscribers (account_id, status, created_at, id);

-- `created_at` is the subscriber's, so that a page filtered by tag is one index range in the page's order.
create table subscriber_tags (
  account_id uuid not null,
  subscriber_id uuid not null,
  tag_id uuid not null,
  list_id uuid not null,
  created_at timestamptz(3) not null,
  primary key (account_id, subscriber_id, tag_id)
);
create index subscriber_tags_of_list on subscriber_tags (account_id, tag_id, list_id, created_at, subscriber_id);
create index subscriber_tags_by_age on subscriber_tags (account_id, tag_id, created_at, subscriber_id);

-- Who agreed to what, when and how. Append-only: the proof must not be editable. Erasure deletes.
create table consents (
  account_id uuid not null,
  subscriber_id uuid not null,
  id uuid not null,
  action text not null,
  attested boolean not null,
  source text,
  wording text,
  ip text,
  actor_kind text not null,
  actor_id text,
  created_at timestamptz(3) not null,
  primary key (account_id, subscriber_id, id)
);
create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name;
end $$;
create trigger consents_append_only before update on consents for each row execute function refuse_change();

-- Confirmation mails asked for; sent ones have a time.
create table confirmations (
  account_id uuid not null,
  subscriber_id uuid not null,
  id uuid not null,
  contact_id uuid not null,
  requested_at timestamptz(3) not null,
  sent_at timestamptz(3),
  primary key (account_id, subscriber_id, id)
);
create index confirmations_by_contact on confirmations (account_id, contact_id, requested_at);

-- The timeline of one subscriber.
create index events_of_subscriber on events (account_id, (data ->> 'subscriber_id'), created_at, id)
  where data ? 'subscriber_id';

-- A shard that no other transaction counts in, held until the end: of 32 that write at once, none waits for another.
create function claim_shard() returns int language plpgsql as $$
declare
  own int := pg_backend_pid() % 32;
begin
  for i in 0..31 loop
    -- The first number only keeps these locks apart from others.
    if pg_try_advisory_xact_lock(1819243380, (own + i) % 32) then return (own + i) % 32; end if;
  end loop;
  return own;
end $$;

create function count_subscribers() returns trigger language plpgsql as $$
declare
  own int := claim_shard();
begin
  -- The three transition tables can't be named in one query, since each operation has only its own.
  if tg_op = 'INSERT' then
    insert into list_counts as counted (account_id, list_id, status, shard, count)
    select account_id, list_id, status, own, count(*) from added
    group by 1, 2, 3 order by 1, 2, 3
    on conflict (account_id, list_id, status, shard) do update set count = counted.count + excluded.count;
  elsif tg_op = 'DELETE' then
    insert into list_counts as counted (account_id, list_id, status, shard, count)
    select account_id, list_id, status, own, -count(*) from removed
    group by 1, 2, 3 order by 1, 2, 3
    on conflict (account_id, list_id, status, shard) do update set count = counted.count + excluded.count;
  else
    insert into list_counts as counted (account_id, list_id, status, shard, count)
    select account_id, list_id, status, own, sum(n) from (
      select account_id, list_id, status, 1 as n from added
      union all
      select account_id, list_id, status, -1 from removed
    ) as change
    group by 1, 2, 3 having sum(n) <> 0 order by 1, 2, 3
    on conflict (account_id, list_id, status, shard) do update set count = counted.count + excluded.count;
  end if;
  return null;
end $$;

create trigger subscribers_counted_insert after insert on subscribers
  referencing new table as added for each statement execute function count_subscribers();
create trigger subscribers_counted_update after update on subscribers
  referencing old table as removed new table as added for each statement execute function count_subscribers();
create trigger subscribers_counted_delete after delete on subscribers
  referencing old table as removed for each statement execute function count_subscribers();

-- Whose kept answers an erasure or a delete empties; most requests have none.
create index idempotency_answers_by_subject on idempotency_answers using gin (subjects) where subjects <> '{}';

-- ANALYZE keeps samples of values in pg_statistic until it runs again: none of what belongs to a person, or an erasure
-- would leave them there. No plan needs them, since nothing but uniqueness is known of these columns.
alter table subscribers
  alter column email set statistics 0, alter column email_key set statistics 0,
  alter column first_name set statistics 0, alter column last_name set statistics 0,
  alter column fields set statistics 0, alter column status_reason set statistics 0;
alter table consents
  alter column source set statistics 0, alter column wording set statistics 0, alter column ip set statistics 0;
alter table opt_outs alter column reason set statistics 0;
alter table tags alter column name set statistics 0, alter column name_key set statistics 0;
