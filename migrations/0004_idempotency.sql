-- Answers kept for 24 hours under a client's Idempotency-Key. Uniqueness of a key rests on an advisory lock that every
-- writer holds, not on an index: an index over partitions must contain the time.
create table idempotency_answers (
  account_id uuid not null,
  key_hash bytea not null,
  created_at timestamptz(3) not null,
  fingerprint bytea not null,
  answer bytea not null,
  -- Whose personal data is in the answer: an erasure empties it.
  subjects uuid[] not null,
  primary key (account_id, key_hash, created_at)
) partition by range (created_at);

-- The safety net: a row whose partition isn't made yet lands here, and is moved when it is.
create table idempotency_answers_default partition of idempotency_answers default;
