-- What happened. Triggers write it with the rows that make it true, in the same transaction: none is
-- lost and none is told twice, wherever the program ends and whoever changes the row.
create table event (
  id         integer primary key autoincrement,  -- without gaps: what is missing below was dropped
  at         integer not null,
  type       text    not null,
  sandbox_id text,                               -- no foreign key: it outlives its sandbox
  data       text    not null                    -- a JSON object
) strict;

create view now as select cast(round(unixepoch('subsec') * 1000) as integer) * 1000 as micros;

create trigger event_limit after insert on event begin
  delete from event where id <= new.id - 100000;
end;

create trigger sandbox_inserted after insert on sandbox begin
  insert into event (at, type, sandbox_id, data)
  select micros, 'sandbox.created', new.id,
         json_patch('{}', json_object('name', new.name, 'template', new.template,
                                      'parent', new.parent))
  from now;
  insert into event (at, type, sandbox_id, data)
  select micros, 'sandbox.forked', new.parent, json_object('child', new.id, 'name', new.name)
  from now where new.parent is not null;
  insert into event (at, type, sandbox_id, data)
  select micros, 'sandbox.' || new.state, new.id, json_object('name', new.name)
  from now where new.state not in ('requested', 'starting');
end;

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
                                      'reason', new.state_reason))
  from now;
end;

-- What was deleted has said so already.
create trigger sandbox_dropped after delete on sandbox when old.state <> 'deleted' begin
  insert into event (at, type, sandbox_id, data)
  select micros, 'sandbox.deleted', old.id,
         json_object('name', old.name, 'from', old.state, 'reason', 'it never came to be')
  from now;
end;

create trigger checkpoint_inserted after insert on checkpoint begin
  insert into event (at, type, sandbox_id, data)
  select micros, 'checkpoint.created', new.sandbox_id,
         json_object('checkpoint', new.id, 'name', new.name, 'reason', new.reason)
  from now;
end;

create trigger checkpoint_dropped after delete on checkpoint begin
  insert into event (at, type, sandbox_id, data)
  select micros, 'checkpoint.deleted', old.sandbox_id,
         json_object('checkpoint', old.id, 'name', old.name)
  from now;
end;

create trigger template_inserted after insert on template_version begin
  insert into event (at, type, data)
  select micros, 'template.built', json_object('template', new.name, 'version', new.version)
  from now;
end;

create trigger template_dropped after delete on template_version begin
  insert into event (at, type, data)
  select micros, 'template.deleted', json_object('template', old.name, 'version', old.version)
  from now;
end;

create trigger volume_inserted after insert on volume begin
  insert into event (at, type, data)
  select micros, 'volume.created',
         json_patch('{}', json_object('volume', new.id, 'name', new.name, 'parent', new.parent))
  from now;
end;

create trigger volume_dropped after delete on volume begin
  insert into event (at, type, data)
  select micros, 'volume.deleted',
         json_patch('{}', json_object('volume', old.id, 'name', old.name))
  from now;
end;

create trigger key_inserted after insert on api_key begin
  insert into event (at, type, data)
  select micros, 'key.created', json_object('key', new.id, 'name', new.name) from now;
end;

create trigger key_revoked after update of revoked_at on api_key
when old.revoked_at is null and new.revoked_at is not null begin
  insert into event (at, type, data)
  select micros, 'key.revoked', json_object('key', new.id, 'name', new.name) from now;
end;

-- Whoever wants to be told. Its secret is in no column: it follows from a key file, its id and the
-- number of the generation. Its hash tells when that file is not the one it was made with.
create table webhook (
  id         text    primary key,
  url        text    not null,
  types      text    not null,  -- a line for each; none for all
  enabled    integer not null,
  generation integer not null,
  hash       text    not null,
  created_at integer not null,
  delivered  integer not null,  -- up to this event, all that concerns it was taken or given up
  dropped    integer not null,  -- dead letters that went for want of room
  failures   integer not null,  -- in a row
  error      text               -- of the last of them
) strict, without rowid;

create table dead_letter (
  webhook_id text    not null references webhook (id) on delete cascade,
  event_id   integer not null,
  at         integer not null,
  type       text    not null,
  sandbox_id text,
  data       text    not null,
  failed_at  integer not null,
  error      text    not null,
  primary key (webhook_id, event_id)
) strict, without rowid;
