-- Guardrails pause a campaign with too many hard bounces or complaints.

-- Those limits that the account has changed, by name. What is missing has its default.
alter table accounts add column guardrails jsonb not null default '{}';

-- The mails of a source count from its last resume or relaunch on, or from its first launch (null). The sums of `counters` at
-- that time stand here and are taken off. `guardrails_met` names the guardrails that it has met since.
alter table sources
  add column counted_from timestamptz(3),
  add column uncounted_sent bigint not null default 0,
  add column uncounted_failed bigint not null default 0,
  add column uncounted_hard bigint not null default 0,
  add column guardrails_met text[] not null default '{}';

-- What comes back about a mail after a server took it: hard_bounce, soft_bounce, block_bounce or complaint, each once for a
-- recipient. `mailed_at` is when the mail was taken.
create table source_feedback (
  account_id uuid not null,
  source_id uuid not null,
  kind text not null,
  contact_id uuid not null,
  mailed_at timestamptz(3) not null,
  at timestamptz(3) not null,
  primary key (account_id, source_id, kind, contact_id)
);

-- Guardrails that a source met when there was nothing left to pause. They hold the account's next campaign.
create table guardrail_holds (
  account_id uuid not null,
  at timestamptz(3) not null,
  source_id uuid not null,
  reason text not null,
  detail text not null,
  primary key (account_id, at, source_id, reason)
);
