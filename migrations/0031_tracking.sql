-- Opens and clicks. A hit is answered for once it is in the inbox, and counted a little later: the numbers and what they were
-- counted from are written in one transaction, so that they equal a recount at any instant.

-- The inbox. It has no index: it is appended to and emptied. What it says of the program and its address goes with it.
create table hits (
  account_id uuid not null,
  source_id uuid not null,
  -- Null where the mail was tracked for nobody in particular.
  contact_id uuid,
  -- Null for the pixel.
  link integer,
  at timestamptz(3) not null,
  times integer not null,
  is_head boolean not null,
  is_prefetch boolean not null,
  has_from boolean not null,
  user_agent text not null,
  address text not null
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 10000);

-- Groups of hits that were stored: one whose answer was lost is tried again, and stored once.
create table hit_groups (id uuid primary key, at timestamptz(3) not null);
create index hit_groups_by_age on hit_groups (at);

-- Every hit that was counted; repeats within a minute are one row. Kept for six months. Link -1 is the pixel, and the nil contact
-- nobody in particular.
create table counted_hits (
  account_id uuid not null,
  source_id uuid not null,
  contact_id uuid not null,
  link integer not null,
  -- The minute that it was in.
  created_at timestamptz(3) not null,
  -- Why it is held to be a machine's; empty for a person's.
  machine text not null,
  at timestamptz(3) not null,
  times integer not null,
  primary key (account_id, source_id, contact_id, link, created_at, machine)
) partition by range (created_at);
create table counted_hits_default partition of counted_hits default;

-- What was seen of each message. Kept as long as the ledger.
create table message_engagements (
  account_id uuid not null,
  source_id uuid not null,
  contact_id uuid not null,
  pixels integer not null,
  human_pixels integer not null,
  clicks integer not null,
  human_clicks integer not null,
  first_at timestamptz(3) not null,
  last_at timestamptz(3) not null,
  first_click_at timestamptz(3),
  last_click_at timestamptz(3),
  primary key (account_id, source_id, contact_id)
) partition by range (source_id);
create table message_engagements_default partition of message_engagements default;

create table link_engagements (
  account_id uuid not null,
  source_id uuid not null,
  contact_id uuid not null,
  link integer not null,
  clicks integer not null,
  human_clicks integer not null,
  primary key (account_id, source_id, contact_id, link)
) partition by range (source_id);
create table link_engagements_default partition of link_engagements default;

-- The sums of a source: of all of it (part ''), of each link ('link 3') and of each quarter of an hour ('quarter 2026-…').
create table engagement_sums (
  account_id uuid not null,
  source_id uuid not null,
  part text not null collate "C",
  opens bigint not null,
  openers bigint not null,
  human_opens bigint not null,
  human_openers bigint not null,
  clicks bigint not null,
  clickers bigint not null,
  human_clicks bigint not null,
  human_clickers bigint not null,
  first_at timestamptz(3) not null,
  last_at timestamptz(3) not null,
  last_click_at timestamptz(3),
  primary key (account_id, source_id, part)
) with (fillfactor = 50);

-- Whether a list's name may be shown to whoever holds a mail of another list: mails get forwarded.
alter table lists add column is_public boolean not null default false;

-- The status that each subscriber had when a link unsubscribed it, by id: whoever takes that back gets it again.
alter table opt_outs add column former jsonb;
