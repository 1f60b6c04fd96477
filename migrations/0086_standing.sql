-- From when on the mail of an account counts for its standing, where an operator has let it send again (docs/decisions/0070). Others' counts for seven days.
create table account_standings (
  account_id uuid primary key references accounts on delete cascade,
  counted_from timestamptz(3) not null
);

-- Whoever judges accounts looks at what was sent lately: what runs, and what ended within a week.
create index sources_by_end on sources (ended_at);
