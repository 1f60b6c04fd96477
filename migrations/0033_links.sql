-- Links: what a campaign adds to them, and the link that only machines follow.

-- {source, medium, campaign, term, content}, each a text or null; null adds nothing.
alter table campaigns add column utm jsonb;

alter table accounts add column honeypot_link boolean not null default false;
