-- What something that runs depends on, and must not be deleted under it: a field that a live automation asks for, a segment that it watches. Each
-- `owner`, such as `automation aut_…`, has rows of its own, which go when it ends.
create table things_in_use (
  account_id uuid not null,
  kind text not null check (kind in ('field', 'segment', 'list')),
  thing_id uuid not null,
  owner text not null,
  primary key (account_id, kind, thing_id, owner)
);
create index things_in_use_of on things_in_use (account_id, owner);
