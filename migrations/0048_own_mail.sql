-- The product's own mail: invitations, links that set a password, and notices.

-- Whether a user gets notices that are not about security. Those about security go out in any case.
alter table users add column notices boolean not null default true;

-- Which mail went to whom because of what, so that a job which runs twice sends nothing twice, and how many links somebody asked for.
create table own_mails (
  account_id uuid not null references accounts,
  -- The event that it tells of, or the request that it answers.
  occasion_id uuid not null,
  user_id uuid not null,
  kind text not null,
  created_at timestamptz(3) not null,
  primary key (account_id, occasion_id, user_id)
);
-- How many links were mailed to a user in the last hour.
create index own_mails_of_user on own_mails (account_id, user_id, created_at);
-- For removing those that are old.
create index own_mails_by_age on own_mails (created_at);

-- A message with a link that sets a password is shown to those alone who may make such a link.
alter table sandbox_messages add column is_private boolean not null default false;
