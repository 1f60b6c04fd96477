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
