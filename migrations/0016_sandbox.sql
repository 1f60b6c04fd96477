-- Mail that the sandbox transport caught: the newest of each account, whole.
create table sandbox_messages (
  account_id uuid not null references accounts,
  id uuid not null,
  -- null for a test message, which stands in no ledger.
  source_id uuid,
  contact_id uuid,
  envelope_from text not null,
  envelope_to text not null,
  -- The address in the form it is compared by.
  to_key text not null collate "C",
  raw bytea not null,
  created_at timestamptz(3) not null,
  primary key (account_id, id)
);
create index sandbox_messages_to on sandbox_messages (account_id, to_key, id);
-- Whole messages: lz4 would be better, but not every server is built with it.
alter table sandbox_messages alter column raw set storage external;
-- Nothing of a person in the samples of ANALYZE; see subscribers.
alter table sandbox_messages
  alter column envelope_to set statistics 0, alter column to_key set statistics 0,
  alter column raw set statistics 0;
