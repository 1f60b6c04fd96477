create table campaigns (
  account_id uuid not null references accounts,
  id uuid not null,
  name text not null,
  -- Neither is a foreign key: a list or a segment may go while its campaigns stay to be read.
  list_id uuid not null,
  segment_id uuid,
  subject text not null,
  preview_text text,
  from_name text,
  from_email text,
  reply_to text,
  html text,
  mjml text,
  "text" text,
  track_opens boolean not null,
  track_clicks boolean not null,
  on_ambiguous text not null,
  -- What the checks found when it was last saved.
  checks jsonb not null,
  -- Raised by every edit, so that what was checked is what is launched.
  version int not null,
  status text not null,
  paused_from text,
  scheduled_from text,
  pause_reason text,
  status_reason text,
  -- Mail has left: it can't be edited any more.
  has_sent boolean not null,
  send_at timestamptz(3),
  started_at timestamptz(3),
  finished_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (account_id, id)
);
create index campaigns_by_age on campaigns (account_id, created_at, id);
create index campaigns_by_change on campaigns (account_id, updated_at, id);
create index campaigns_by_name on campaigns (account_id, name, id);
create index campaigns_of_list on campaigns (account_id, list_id, created_at, id);
create index campaigns_by_status on campaigns (account_id, status, created_at, id);
create index campaigns_by_time on campaigns (account_id, send_at, id) where send_at is not null;
-- For the look at what is due, which is over all accounts: only what waits stands in it.
create index campaigns_due on campaigns (send_at) where status = 'scheduled';
