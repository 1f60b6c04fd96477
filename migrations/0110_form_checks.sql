-- What is done about addresses that mail may not reach: nothing, ask whoever seems to have slipped, or refuse those that can't be reached too.
alter table forms add column checks text not null default 'report' check (checks in ('off', 'report', 'skip_bad'));
alter table forms alter column checks drop default;
