-- What the last look from outside said: whether a POST to the address in our mail arrives here. One row, of the address
-- that was asked for; of another one it says nothing.
create table public_probe (
  only_row boolean primary key default true check (only_row),
  url text not null,
  probed_at timestamptz(3) not null,
  ok boolean not null,
  -- Why not, in a few words; null where it is well.
  reason text
);
