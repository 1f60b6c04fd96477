-- A list may be deleted though an automation is for its people, as it may though campaigns went to them: the automation then has nobody, and
-- can't be published. The reference kept the job that removes a list from ending.
alter table automations drop constraint automations_account_id_list_id_fkey;
