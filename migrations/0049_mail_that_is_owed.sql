-- Mail of the product itself to somebody who signs in here. What people have suppressed doesn't stop it: a member could otherwise keep an
-- owner from getting a link for a forgotten password, or a notice about security. What delivery found does.
alter table given_recipients add column is_owed boolean;
