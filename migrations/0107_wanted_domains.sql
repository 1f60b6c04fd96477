-- Domains to which mail goes and of which nothing is known, or nothing fresh. Senders write them down and never ask the DNS; jobs ask it.
create table wanted_domains (
  name text primary key,
  -- Nobody asks before then; a domain of which nobody answers is put off.
  next_at timestamptz(3) not null,
  attempts int not null default 0
);
create index wanted_domains_by_time on wanted_domains (next_at);
