-- How an account's public pages look. A file that is its logo can't be deleted.
alter table accounts
  add column brand_colour text,
  add column logo_file_id uuid,
  add constraint accounts_logo foreign key (account_id, logo_file_id) references files (account_id, id);

-- The public archive of a list. The slug is also a public name, which makes it unique in the instance.
alter table lists
  add column archive_slug text,
  add column archive_indexed boolean not null default false;

-- Whether a campaign is shown in the archive of its list, once it is sent.
alter table campaigns add column archive boolean not null default false;
create index campaigns_in_archive on campaigns (account_id, list_id, finished_at, id)
  where archive and status = 'sent';
