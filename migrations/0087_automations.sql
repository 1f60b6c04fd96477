-- An automation leads people of one list through steps. What is being written is its draft, as the client wrote it; the type is json
-- and not jsonb, because entity tags are made of the text, and steps keep their order.
create table automations (
  account_id uuid not null references accounts,
  id uuid not null,
  name text not null,
  list_id uuid not null,
  draft json not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  updated_by_kind text,
  updated_by_id uuid,
  primary key (account_id, id),
  foreign key (account_id, list_id) references lists (account_id, id)
);
create index automations_by_age on automations (account_id, created_at, id);
create index automations_by_list on automations (account_id, list_id, created_at, id);
