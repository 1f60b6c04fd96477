-- A key that was rotated keeps its id and gets another secret; the one before works until its time of grace is over.
alter table api_keys
  add column previous_hash bytea,
  add column previous_until timestamptz(3),
  -- The networks that it may be used from, as ranges; none is everywhere.
  add column allowed_networks text[] not null default '{}';
create unique index api_keys_by_previous_secret on api_keys (account_id, previous_hash) where previous_hash is not null;
