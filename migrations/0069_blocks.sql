-- A mail may be made of blocks in place of HTML or MJML. The type is json and not jsonb, because digests and entity tags are made
-- of the text, whose order of members jsonb changes.
alter table campaigns add column blocks json;
alter table templates add column blocks json;
alter table template_versions add column blocks json;
