-- Who changed a row last: a user, a key, an import or the system. Rows of before this know nobody, and none is rewritten. The id is
-- of a user who may be gone, so it references nothing.
alter table accounts add column updated_by_kind text, add column updated_by_id uuid;
alter table api_keys add column updated_by_kind text, add column updated_by_id uuid;
alter table users add column updated_by_kind text, add column updated_by_id uuid;
alter table lists add column updated_by_kind text, add column updated_by_id uuid;
alter table fields add column updated_by_kind text, add column updated_by_id uuid;
alter table segments add column updated_by_kind text, add column updated_by_id uuid;
alter table subscribers add column updated_by_kind text, add column updated_by_id uuid;
alter table transports add column updated_by_kind text, add column updated_by_id uuid;
alter table campaigns add column updated_by_kind text, add column updated_by_id uuid;
