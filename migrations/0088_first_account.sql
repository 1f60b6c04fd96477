-- The account of the first start may read how the instance is set up, and signs with keys that name no account. The instance keeps its id: as the
-- oldest one there is, the next customer would become it with its deletion. No foreign key, since the id stays when the account is gone.
alter table instance add column first_account_id uuid;

-- Ids begin with the time they were made at, so one that is gone and lower than all others was the first.
update instance set first_account_id = coalesce(
  (select account_id from account_deletions d
   where deleted_at is not null and not exists (select from accounts a where a.account_id < d.account_id)
   order by account_id limit 1),
  (select account_id from accounts order by created_at, account_id limit 1));
