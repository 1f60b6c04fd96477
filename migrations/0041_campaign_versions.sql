-- What the author of a campaign wrote, as it was: a row for each person and five minutes of work, the newest fifty.
create table campaign_versions (
  account_id uuid not null,
  campaign_id uuid not null,
  number int not null,
  subject text not null,
  -- The columns of the campaign that a client may edit, but for those that say only where it is shown.
  content jsonb not null,
  -- The version that was taken back to, where that is how it came about.
  restored_from int,
  actor_kind text not null,
  actor_id text,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (account_id, campaign_id, number),
  foreign key (account_id, campaign_id) references campaigns on delete cascade
);
