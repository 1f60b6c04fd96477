-- Confirmation mails are sent, and may be followed by a welcome.

-- What a form says of the confirmations that it asks for: who asked, in which language, where the person is led afterwards, and which
-- topics are switched on then.
alter table confirmations
  add column form_id uuid,
  add column locale text,
  add column after_url text,
  add column topic_ids uuid[] not null default '{}';

-- The published template that is mailed once to whoever confirms.
alter table lists add column welcome_template_id uuid;
-- Which lists welcome with a template.
create index lists_welcoming on lists (account_id, welcome_template_id) where welcome_template_id is not null;

-- Which mails of an account to its subscribers were accepted, so that a job which runs twice sends nothing twice. The occasion of a
-- welcome is the subscriber, and that row stays as long as the subscriber does.
create table subscriber_mails (
  account_id uuid not null references accounts,
  occasion_id uuid not null,
  kind text not null,
  created_at timestamptz(3) not null,
  primary key (account_id, occasion_id, kind)
);
-- For removing those that are old.
create index subscriber_mails_by_age on subscriber_mails (created_at) where kind <> 'welcome';
