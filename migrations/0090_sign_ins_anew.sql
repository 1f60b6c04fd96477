-- Whether the provider was asked to let the person prove anew who they are: only then does its answer count as a confirmation.
alter table sso_sign_ins add column is_anew boolean not null default false;
