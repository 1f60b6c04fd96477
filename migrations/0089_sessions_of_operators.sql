-- Whether a link of the command line opened the session: such a session goes on though passwords are switched off. Whoever owes a second
-- factor on the way has a sign-in that remembers it.
alter table sessions add column of_operator boolean not null default false;
alter table pending_sign_ins add column of_operator boolean not null default false;
