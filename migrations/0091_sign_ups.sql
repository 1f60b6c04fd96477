-- Strangers who open an account by themselves, where SIGN_UP is open (docs/decisions/0072): the account is made once they follow a link that was
-- mailed to them. A row stands for a mail, and belongs to no account.
create table sign_ups (
  id uuid primary key,
  -- The address as it was typed, and the form of it that is compared.
  email text not null,
  email_key text not null,
  account_name text not null,
  name text not null,
  -- The token of the link; null where the address is somebody's already, who got a mail without one.
  token_hash bytea,
  status text not null check (status in ('pending', 'used')),
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null
);
-- How many were mailed to an address in the last hour, and which links of it end when one is used.
create index sign_ups_by_address on sign_ups (email_key, created_at);
create index sign_ups_by_expiry on sign_ups (expires_at);
