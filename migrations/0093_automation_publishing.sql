-- How people inside took to a version when it was published: whether they follow it or stay with theirs, whether the time they have waited
-- counts for a wait that changed, and where those stand whose step is gone, as {former step: step of this version}. No run is written
-- for it: each finds its place by these when it is looked at.
alter table automation_versions
  add column people text not null default 'follow' check (people in ('follow', 'stay')),
  add column waits text not null default 'recount' check (waits in ('recount', 'keep')),
  add column mapping jsonb not null default '{}';
