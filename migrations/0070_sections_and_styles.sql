-- How mails made of blocks look, for all of an account's that don't say otherwise.
alter table accounts add column blocks_style jsonb;

-- Blocks that were saved to be used again. The type is json and not jsonb as in campaigns, because entity tags are made of the text.
create table sections (
  account_id uuid not null references accounts,
  id uuid not null,
  name text not null,
  -- The name by which no two sections of an account may be the same, whatever the case.
  name_key text not null,
  blocks json not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  updated_by_kind text,
  updated_by_id uuid,
  primary key (account_id, id)
);
create unique index sections_by_name on sections (account_id, name_key collate "C");
create index sections_by_age on sections (account_id, created_at, id);
