-- An import of suppressions has no list.
alter table imports alter column list_id drop not null;
-- Rows that said so of somebody; they are among those created, updated or skipped.
alter table imports
  add column opted_out bigint not null default 0,
  add column suppressed bigint not null default 0;

-- When the person said so, where a file tells; created_at is when we were told.
alter table consents add column given_at timestamptz(3);

-- Whoever names an address to suppress it can take it along again. Empty where a bounce, a complaint or an erasure made it.
alter table suppressions add column email text;
-- What people sent must not live on in the planner's statistics once it is gone.
alter table suppressions alter column email set statistics 0;

-- What the rows of the file are.
alter table exports add column resource text not null default 'subscribers';
update exports set resource = 'campaign_recipients' where campaign_id is not null;
