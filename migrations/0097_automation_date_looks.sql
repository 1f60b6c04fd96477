-- How far each running automation has been looked through for dates that let people in (docs/decisions/0078). Every moment up to `looked_until`
-- has let in whom it concerns. A look goes through the list in pages: while it is under way, `looks_until` is where it will end, and
-- (after_created_at, after_id) is the last person it has come to.
create table automation_date_looks (
  account_id uuid not null,
  automation_id uuid not null,
  -- The version whose dates are looked for; those of a later one count from when it was published.
  version int not null,
  looked_until timestamptz(3) not null,
  looks_until timestamptz(3),
  after_created_at timestamptz(3),
  after_id uuid,
  -- When somebody may enter next; null where the version names no date.
  next_at timestamptz(3),
  primary key (account_id, automation_id)
);
