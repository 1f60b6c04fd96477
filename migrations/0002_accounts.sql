create table accounts (
  account_id uuid primary key,
  name text not null,
  time_zone text not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);
