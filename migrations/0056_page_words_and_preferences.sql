-- The language of an account's public pages for visitors whose own isn't there; null is English.
alter table accounts add column locale text;

-- The texts of public pages that an account has changed, by key, for each language.
create table page_words (
  account_id uuid not null references accounts,
  locale text not null,
  texts jsonb not null,
  updated_at timestamptz(3) not null,
  primary key (account_id, locale)
);
