-- An export may be of those a campaign went to.
alter table exports add column campaign_id uuid;
