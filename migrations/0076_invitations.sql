-- Whoever is invited is a row of `users` that has not joined. It shows the address as the account typed it, and not as the instance may know
-- it already, so that an invitation tells nothing of people elsewhere (docs/decisions/0064).
alter table users
  add column invited_as text,
  add column invitation_expires_at timestamptz(3);
update users set invited_as = people.email, invitation_expires_at = users.created_at + interval '7 days'
from people where people.id = users.person_id and users.joined_at is null;
alter table users add constraint users_invited check (
  (joined_at is null) = (invited_as is not null) and (joined_at is null) = (invitation_expires_at is not null));
