-- The account's own sender: for campaigns that have none, on lists that have none.
alter table accounts
  add column from_name text,
  add column from_email text,
  add column reply_to text,
  add column postal_address text;
