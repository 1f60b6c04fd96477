-- Whether a version was examined for the sandbox when it was published: then its mail goes there for ever, since it may have no sender and no
-- unsubscribe link (docs/decisions/0082). Null for those of before, whose waves go where the account sends when they are opened.
alter table automation_versions add column is_sandbox boolean;
