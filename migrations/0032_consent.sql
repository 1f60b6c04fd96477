-- Whether opens and clicks are tracked, and for whom. Null on an account: nobody has chosen yet, which means individual; null on
-- a list: as the account says.
alter table accounts add column tracking text
  check (tracking in ('individual', 'consented', 'aggregate', 'off'));
alter table lists add column tracking text
  check (tracking in ('individual', 'consented', 'aggregate', 'off'));

-- Whether the person agreed to be tracked: null is never asked, false is refused or withdrawn. The log of it is in `consents`.
alter table subscribers
  add column tracking_consent boolean,
  add column tracking_consent_at timestamptz(3);

-- Who refused to be tracked, or was erased, since the last look: what was recorded of them in the mail of that list loses its
-- name, and then the row goes. Those who count read it across accounts, as they do the inbox.
create table tracking_withdrawals (
  account_id uuid not null,
  contact_id uuid not null,
  list_id uuid not null,
  created_at timestamptz(3) not null,
  primary key (account_id, contact_id, list_id)
);
