-- Delivery knows sources, streams and revisions, and nothing of what they belong to. No release has the tables below yet, so
-- no older process runs during this migration, and columns and tables can be renamed in a single step.

-- A revision is the frozen content of a mail, with all that composing its messages needs. The same content keeps its id, which
-- is found by the digest.
create table revisions (
  account_id uuid not null references accounts,
  id uuid not null,
  -- The program computes this SHA-256 of the content in a canonical form.
  digest bytea not null,
  content jsonb not null,
  created_at timestamptz(3) not null,
  primary key (account_id, id),
  unique (account_id, digest)
);

-- A source keeps its revision for ever. If its owner is launched again with other content after mail has left, the source
-- becomes `superseded`: it never runs again and keeps its finished rows, and another source of the owner takes over the others.

-- Content that was frozen inside a source becomes a revision with the source's own id. Its digest is computed from that id and
-- not from the content, so that nothing frozen later is taken for it.
alter table sources add column revision_id uuid;
insert into revisions (account_id, id, digest, content, created_at)
select account_id, id, sha256(convert_to('source ' || id, 'UTF8')),
       revision || jsonb_build_object('format', 2, 'stream', 'campaign', 'ownerId', revision #>> '{campaign,id}'), launched_at
from sources;
update sources set revision_id = id;
alter table sources alter column revision_id set not null;
alter table sources drop column revision;

-- The owner is what a source belongs to on a floor above, such as a campaign. An owner's first source has the owner's own id.
drop index sources_current;
alter table sources rename column campaign_id to owner_id;
update sources set owner_id = id where owner_id is null;
alter table sources alter column owner_id set not null;

-- A source that isn't planned from an audience is given its recipients until it is closed. `plans` counts these, too.
alter table sources alter column list_id drop not null;
alter table sources add column is_given boolean not null default false;
create unique index sources_sending on sources (account_id, owner_id) where not is_given and state in ('running', 'paused');
create index sources_of_owner on sources (account_id, owner_id);

alter table deliveries alter column subscriber_id drop not null;

-- This table has the recipients who are no subscribers, with their addresses and the values for the mail's placeholders.
create table given_recipients (
  account_id uuid not null,
  source_id uuid not null,
  contact_id uuid not null,
  email text not null,
  -- This is the address in the form by which addresses are compared.
  email_key text not null collate "C",
  "values" jsonb not null,
  primary key (account_id, source_id, contact_id)
) partition by range (source_id);
create table given_recipients_default partition of given_recipients default;
-- The erasure of a person finds the address by this index.
create index given_recipients_by_address on given_recipients (account_id, email_key);
-- The samples of ANALYZE must contain no personal data, as with `subscribers`.
alter table given_recipients
  alter column email set statistics 0, alter column email_key set statistics 0, alter column "values" set statistics 0;

-- The sandbox names what a caught mail belongs to in the same way as events do: by the stream and the owner.
alter table sandbox_messages rename column source_id to owner_id;
alter table sandbox_messages add column stream text;
update sandbox_messages set stream = 'campaign' where owner_id is not null;

-- Elsewhere, `problems` means the catalogue of errors, so the table of what went wrong with deliveries gets another name, and so
-- do its partitions, indexes and constraints.
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
    -- PostgreSQL renames a constraint together with its index.
    execute format('alter index %s rename to %I', one.name, replace(one.name, 'problems', 'delivery_errors'));
  end loop;
  -- PostgreSQL renames the constraints of the partitions together with those of the table.
  for one in
    select conname as name from pg_constraint where conrelid = 'delivery_errors'::regclass and conname ~ '^problems'
  loop
    execute format('alter table delivery_errors rename constraint %I to %I', one.name,
                   replace(one.name, 'problems', 'delivery_errors'));
  end loop;
end $$;
