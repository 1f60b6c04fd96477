-- Topics say what a mail is about. People choose topics apart from lists. A deleted one stays as a row, because campaigns that were
-- sent and mails that were delivered name it.
create table topics (
  account_id uuid not null references accounts,
  id uuid not null,
  name text not null,
  description text,
  -- Whether those get it who have said nothing.
  is_default boolean not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  updated_by_kind text,
  updated_by_id uuid,
  deleted_at timestamptz(3),
  primary key (account_id, id)
);
create index topics_by_age on topics (account_id, created_at, id) where deleted_at is null;

-- What a contact has said about a topic, the newest word alone. It stays when the subscriber is deleted.
create table topic_choices (
  account_id uuid not null,
  contact_id uuid not null,
  topic_id uuid not null,
  is_on boolean not null,
  -- What the contact had said before, so that a click can be taken back; null where it was nothing.
  was_on boolean,
  -- Why they left, in their own words.
  reason text,
  source text not null,
  at timestamptz(3) not null,
  primary key (account_id, contact_id, topic_id)
);

-- Contacts who want no mail of lists until then. They are few, so that they have a table of their own: planning looks through those
-- of a slice as a set, where a column of contacts would make it read every contact.
create table contact_pauses (
  account_id uuid not null,
  contact_id uuid not null,
  until timestamptz(3) not null,
  primary key (account_id, contact_id)
);

alter table campaigns add column topic_id uuid;
-- The topic is frozen at the launch, like the list and the segment.
alter table sources add column topic_id uuid;
