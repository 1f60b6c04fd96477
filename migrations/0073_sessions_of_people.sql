-- From what a session was opened, so that its owner can tell it from others: the browser as it calls itself, and the network.
alter table sessions add column user_agent text not null default '', add column network text not null default '';
