-- The addresses that mail providers post to. A token in the URL names the account and the row; only its hash is kept.
create table inbound_endpoints (
  account_id uuid not null references accounts,
  id uuid not null,
  -- ses, postmark, mailgun, sendgrid, brevo, sparkpost.
  provider text not null,
  name text not null,
  token_hash bytea not null,
  -- The token before it was rotated is good for some time more, while the URL is changed at the provider.
  previous_hash bytea,
  previous_until timestamptz(3),
  -- What the provider signs with or shows, sealed under SECRET_KEY for this very row.
  secret bytea,
  -- The SNS topic that was confirmed first; nothing of another one is taken.
  topic_arn text,
  received_at timestamptz(3),
  refused_at timestamptz(3),
  refused_why text,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (account_id, id)
);
create unique index inbound_endpoints_by_token on inbound_endpoints (account_id, token_hash);
create index inbound_endpoints_by_previous on inbound_endpoints (account_id, previous_hash) where previous_hash is not null;
create index inbound_endpoints_by_age on inbound_endpoints (account_id, created_at, id);

-- Mailgun signs a random token and not the body, so each token is good for one body alone.
create table inbound_nonces (
  account_id uuid not null,
  endpoint_id uuid not null,
  nonce bytea not null,
  digest bytea not null,
  expires_at timestamptz(3) not null,
  primary key (account_id, endpoint_id, nonce),
  foreign key (account_id, endpoint_id) references inbound_endpoints on delete cascade
);
create index inbound_nonces_expiring on inbound_nonces (expires_at);

-- The id that a provider gave a message in its 250, by which its events name the message.
create table provider_messages (
  account_id uuid not null,
  provider text not null,
  provider_id text not null,
  source_id uuid not null,
  contact_id uuid not null,
  created_at timestamptz(3) not null,
  primary key (account_id, provider, provider_id, created_at)
) partition by range (created_at);
create table provider_messages_default partition of provider_messages default;
