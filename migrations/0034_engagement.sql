-- What people did with the mail they got, as segments ask for it. Tracking writes it as it counts opens and clicks; nothing is
-- kept of an address that is no subscriber.

-- The last time of each kind. It outlives the single hits, which go after six months, and stays until the address is forgotten.
create table contact_engagements (
  account_id uuid not null,
  contact_id uuid not null,
  last_open_at timestamptz(3) not null,
  -- A person's click is a person's open, too.
  last_human_open_at timestamptz(3),
  last_click_at timestamptz(3),
  last_human_click_at timestamptz(3),
  -- The last open by a program that fetches every image ahead of the reader, whose own open then never shows.
  last_prefetch_at timestamptz(3),
  primary key (account_id, contact_id)
) with (fillfactor = 80);

-- One row for each campaign's mail that was opened or clicked by anybody or anything; kept as long as the ledger. The contact
-- comes first in the key: a segment asks of each subscriber about some campaigns, and whoever is forgotten is found by it.
create table campaign_engagements (
  account_id uuid not null,
  contact_id uuid not null,
  campaign_id uuid not null,
  human_opened boolean not null,
  prefetched boolean not null,
  clicked boolean not null,
  human_clicked boolean not null,
  -- Hashes of the addresses of the links that were clicked: one address may have several numbers in a mail.
  links bigint[] not null,
  human_links bigint[] not null,
  primary key (account_id, contact_id, campaign_id)
) partition by range (campaign_id);
create table campaign_engagements_default partition of campaign_engagements default;

-- Whether a campaign's opens could be seen is asked for dozens of revisions at once, and the content may have megabytes: so that
-- part of it stands here, too. Null in rows that were frozen before, or by a process of an older release; the content says it then.
alter table revisions add column tracking jsonb;
