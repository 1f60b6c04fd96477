-- Who reaches a goal is counted: `goal` of the whole automation, each run once; `goal` of a step that is one; and `goal:<way>` of a split, for those
-- who had taken that way before. The journal says of such a step that it was a goal, so that what came first can be told from the rest.
update automation_journal j set reason = 'goal'
from (
  select account_id, automation_id, number, step.key as node
  from automation_versions cross join lateral json_each(graph -> 'nodes') as step
  where step.value ->> 'type' = 'goal') as goals
where j.account_id = goals.account_id and j.automation_id = goals.automation_id and j.version = goals.number and j.node = goals.node
  and j.reason = 'done';

create temporary table reached on commit drop as
select account_id, automation_id, run_id, node, visit from automation_journal where reason = 'goal'
union all
select account_id, automation_id, id, null, visit from automation_runs where ended_as = 'goal';

insert into automation_counts (account_id, automation_id, node, what, shard, count)
select account_id, automation_id, '', 'goal', 0, count(distinct run_id) from reached group by 1, 2
union all
select account_id, automation_id, node, 'goal', 0, count(distinct run_id) from reached where node is not null group by 1, 2, 3
union all
select r.account_id, r.automation_id, j.node, 'goal:' || j.way, 0, count(distinct r.run_id)
from (select account_id, automation_id, run_id, min(visit) as visit from reached group by 1, 2, 3) as r
join automation_journal j on j.account_id = r.account_id and j.run_id = r.run_id and j.visit < r.visit and j.reason = 'share'
group by 1, 2, 3, 4;
