-- Whoever has second factors and opens a link that lets them into an account joins once the factor was given (docs/decisions/0066). Until then the
-- token of the sign-in remembers the link, and ends with it.
alter table pending_sign_ins
  add column link_account_id uuid,
  add column link_id uuid,
  add column link_name text,
  add foreign key (link_account_id, link_id) references user_links (account_id, id) on delete cascade;
create index pending_sign_ins_by_link on pending_sign_ins (link_account_id, link_id) where link_id is not null;

-- False from a confirmation until the token that it gave comes back: its answer may have been lost, and then the token before goes on.
alter table sessions add column is_token_used boolean not null default true;

-- Whether people who have no second factor are kept out of the account until they add one.
alter table accounts add column require_two_factor boolean not null default false;
