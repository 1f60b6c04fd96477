-- When it was last told that people were kept from entering an automation because they would have entered it too often or too deep: once an hour.
create table automation_limits (
  account_id uuid not null,
  automation_id uuid not null,
  told_at timestamptz(3) not null,
  primary key (account_id, automation_id)
);
