-- Templates: a draft that is edited, in the row itself, and what was published of it, which never changes. `json` and not `jsonb`
-- keeps the samples of variables as they were given, so that a digest of the content is the same before and after it is stored.
create table templates (
  account_id uuid not null references accounts,
  id uuid not null,
  name text not null,
  -- The name by which no two templates of an account may be the same, whatever the case.
  name_key text not null,
  subject text not null,
  preview_text text,
  html text,
  mjml text,
  "text" text,
  variables json not null,
  digest text not null,
  -- The number that the draft gets when it is published.
  draft_version int not null,
  published_version int,
  -- That of the published content: where it is the draft's, there is nothing to publish.
  published_digest text,
  published_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  updated_by_kind text,
  updated_by_id uuid,
  primary key (account_id, id)
);
create unique index templates_by_name on templates (account_id, name_key collate "C");
create index templates_by_age on templates (account_id, created_at, id);

create table template_versions (
  account_id uuid not null,
  template_id uuid not null,
  number int not null,
  subject text not null,
  preview_text text,
  html text,
  mjml text,
  "text" text,
  variables json not null,
  -- The content as it was compiled when it was published, so that no mail waits for a compiler.
  compiled json not null,
  digest text not null,
  actor_kind text not null,
  actor_id text,
  created_at timestamptz(3) not null,
  primary key (account_id, template_id, number),
  foreign key (account_id, template_id) references templates on delete cascade
);

-- Where a campaign's content was taken from. It is no foreign key: a template may go once the campaign is sent.
alter table campaigns add column template_id uuid, add column template_version int;
create index campaigns_of_template on campaigns (account_id, template_id) where template_id is not null;
