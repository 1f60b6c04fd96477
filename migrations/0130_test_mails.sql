-- Tests of campaigns and automations leave by a server, and are in no source's ledger: here each has a row until 13 months after it left, without
-- address or content. What is `waiting` holds a mail of the allowance; one that was sent is counted in the statement that says so.
create table test_mails (
  account_id uuid not null,
  id uuid not null,
  transport_id uuid not null,
  -- waiting, sent. One that wasn't delivered has no row any more.
  state text not null,
  created_at timestamptz(3) not null,
  changed_at timestamptz(3) not null,
  primary key (account_id, id)
);
create index test_mails_waiting on test_mails (account_id, created_at) where state = 'waiting';
create index test_mails_sent on test_mails (account_id, changed_at) where state = 'sent';
-- It finds those that are too old.
create index test_mails_by_age on test_mails (created_at);
