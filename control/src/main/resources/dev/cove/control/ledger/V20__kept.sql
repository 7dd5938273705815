-- A sandbox that is deleted may be kept for a while: it is still 'deleted', its name is free, and
-- until then it can be undeleted.
alter table sandbox add column kept_until integer;

drop trigger sandbox_moved;
create trigger sandbox_moved after update of state on sandbox when old.state <> new.state begin
  insert into event (at, type, sandbox_id, data)
  select micros,
         'sandbox.' || case
           when old.state = 'paused' and new.state = 'running' then 'resumed'
           when old.state = 'deleted' then 'undeleted'
           else new.state
         end,
         new.id,
         json_patch('{}', json_object('name', new.name, 'from', old.state,
                                      'reason', new.state_reason,
                                      'keptUntil', strftime('%Y-%m-%dT%H:%M:%SZ',
                                                            new.kept_until / 1000000, 'unixepoch')))
  from now;
end;

-- What was kept is gone for good: somebody said so, or its time was over.
create trigger sandbox_kept_no_more after update of kept_until on sandbox
when old.kept_until is not null and new.kept_until is null and new.state = 'deleted' begin
  insert into event (at, type, sandbox_id, data)
  select micros, 'sandbox.removed', new.id, json_object('name', new.name) from now;
end;

create trigger sandbox_kept_dropped after delete on sandbox when old.kept_until is not null begin
  insert into event (at, type, sandbox_id, data, project)
  select micros, 'sandbox.removed', old.id, json_object('name', old.name), old.project from now;
end;
