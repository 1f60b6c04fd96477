-- What somebody asked for of an address that is suppressed for another reason: it stays suppressed for this one when what bounces
-- or a complaint made of it is taken back.
alter table suppressions add column asked_reason text, add column asked_source text;
