-- Reports that a provider closes by are counted apart for each domain in From that they are about; '' where they are about the transport.
alter table provider_reports add column from_domain text not null default '';
-- The recipient's domain: where each customer of a provider has a policy of its own, several of them must say the same.
alter table provider_reports add column to_domain text not null default '';
alter table provider_reports drop constraint provider_reports_pkey;
alter table provider_reports add primary key (account_id, transport_id, provider, from_domain, reason, contact_id);
