-- When the row was written. Null in rows from before this column. It stands last in the row and never changes, so that an
-- update logs nothing of it.
alter table deliveries add column planned_at timestamptz(3);

-- Who left a list because of a source's mail: each recipient once, for ever. It is counted by its primary key.
create table source_unsubscribes (
  account_id uuid not null,
  source_id uuid not null,
  contact_id uuid not null,
  at timestamptz(3) not null,
  primary key (account_id, source_id, contact_id)
);
