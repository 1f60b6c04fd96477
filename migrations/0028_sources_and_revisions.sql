-- Delivery knows sources, streams and revisions, and nothing of what they belong to. No release has the tables below yet, so
-- no older process runs beside this migration: columns and tables are renamed at once, without a time in between.

-- What is sent, frozen: all that composing its messages needs. The same content keeps its id, which is found by its digest.
create table revisions (
  account_id uuid not null references accounts,
  id uuid not null,
  -- SHA-256 of the content in a canonical form, which the program computes.
  digest bytea not null,
  content jsonb not null,
  created_at timestamptz(3) not null,
  primary key (account_id, id),
  unique (account_id, digest)
);

-- A source has one revision, for ever. Launched again with another after mail has left, it becomes `superseded`: it never runs
-- again and keeps its rows that are done, and another source of the same owner takes over the others. What was frozen inside a source moves out under the source's own id; its digest is of that
-- id and not of the content, so that nothing frozen later is taken for it.
alter table sources add column revision_id uuid;
insert into revisions (account_id, id, digest, content, created_at)
select account_id, id, sha256(convert_to('source ' || id, 'UTF8')),
       revision || jsonb_build_object('format', 2, 'stream', 'campaign', 'ownerId', revision #>> '{campaign,id}'), launched_at
from sources;
update sources set revision_id = id;
alter table sources alter column revision_id set not null;
alter table sources drop column revision;

-- What a source belongs to on a floor above, such as a campaign. An owner's first source has the owner's own id.
drop index sources_current;
alter table sources rename column campaign_id to owner_id;
update sources set owner_id = id where owner_id is null;
alter table sources alter column owner_id set not null;

-- A source that isn't planned from an audience is given its recipients, until it is closed; `plans` counts them too.
alter table sources alter column list_id drop not null;
alter table sources add column is_given boolean not null default false;
create unique index sources_sending on sources (account_id, owner_id) where not is_given and state in ('running', 'paused');
create index sources_of_owner on sources (account_id, owner_id);

alter table deliveries alter column subscriber_id drop not null;

-- Recipients who are no subscribers: where their mail goes, and the values that it is written with.
create table given_recipients (
  account_id uuid not null,
  source_id uuid not null,
  contact_id uuid not null,
  email text not null,
  -- The address in the form it is compared by.
  email_key text not null collate "C",
  "values" jsonb not null,
  primary key (account_id, source_id, contact_id)
) partition by range (source_id);
create table given_recipients_default partition of given_recipients default;
-- For the erasure of a person.
create index given_recipients_by_address on given_recipients (account_id, email_key);
-- Nothing of a person in the samples of ANALYZE; see subscribers.
alter table given_recipients
  alter column email set statistics 0, alter column email_key set statistics 0, alter column "values" set statistics 0;

-- The sandbox names whose mail it caught as events do: by the stream and the owner.
alter table sandbox_messages rename column source_id to owner_id;
alter table sandbox_messages add column stream text;
update sandbox_messages set stream = 'campaign' where owner_id is not null;

-- `problems` is the catalogue of errors elsewhere: what went wrong with a delivery has a name of its own, and so have its
-- partitions, indexes and constraints.
do $$
declare
  one record;
begin
  for one in
    select c.oid::regclass::text as name from pg_class c
    where c.oid = 'problems'::regclass or c.oid in (select inhrelid from pg_inherits where inhparent = 'problems'::regclass)
  loop
    execute format('alter table %s rename to %I', one.name, replace(one.name, 'problems', 'delivery_errors'));
  end loop;
  for one in
    select i.indexrelid::regclass::text as name from pg_index i join pg_class t on t.oid = i.indrelid
    where t.relname ~ '^delivery_errors'
  loop
    -- A constraint is renamed with its index.
    execute format('alter index %s rename to %I', one.name, replace(one.name, 'problems', 'delivery_errors'));
  end loop;
  -- Those of the partitions are renamed with the table's.
  for one in
    select conname as name from pg_constraint where conrelid = 'delivery_errors'::regclass and conname ~ '^problems'
  loop
    execute format('alter table delivery_errors rename constraint %I to %I', one.name,
                   replace(one.name, 'problems', 'delivery_errors'));
  end loop;
end $$;
