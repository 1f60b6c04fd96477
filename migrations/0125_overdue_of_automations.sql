-- What becomes of many steps that fell due while an automation was paused. A job goes through them a piece at a time, and none of them is done
-- before its piece: whose due_at is `until` or before waits, and everybody else goes on. The row goes with the last piece, or with another pause.
create table automation_overdue (
  account_id uuid not null,
  automation_id uuid not null,
  choice text not null check (choice in ('spread', 'skip')),
  until timestamptz(3) not null,
  spread_minutes int not null,
  -- How many there were, and how many of them have been gone through.
  people int not null,
  done int not null default 0,
  primary key (account_id, automation_id),
  foreign key (account_id, automation_id) references automations (account_id, id) on delete cascade
);
