-- Whose things are. What was here before is of the default project; keys that were here before are
-- operators' keys, so that whoever had one can do what he could.
create table project (
  name               text    primary key,
  created_at         integer not null,
  sandboxes          integer,  -- quotas; none where there is nothing
  milli_cpus         integer,
  memory_mb          integer,
  disk_mb            integer,
  creates_per_minute integer,
  egress_mb_per_day  integer
) strict, without rowid;

insert into project (name, created_at) select 'default', micros from now;

alter table sandbox add column project text not null default 'default';
drop index sandbox_name;
create unique index sandbox_name on sandbox (project, name_key) where state <> 'deleted';

alter table checkpoint add column project text not null default 'default';

alter table volume add column project text not null default 'default';
drop index volume_name;
create unique index volume_name on volume (project, name) where name is not null;

alter table webhook add column project text not null default 'default';
-- Those of operators hear also of what is no project's.
alter table webhook add column operators integer not null default 1;

alter table api_key add column project text;  -- none for an operator's

create table idempotency_of_projects (
  seq          integer primary key autoincrement,
  project      text    not null,
  key          text    not null,
  request_hash text    not null,
  sandbox_id   text    not null,
  created_at   integer not null,
  unique (project, key)
) strict;
insert into idempotency_of_projects (seq, project, key, request_hash, sandbox_id, created_at)
  select seq, 'default', key, request_hash, sandbox_id, created_at from idempotency order by seq;
drop table idempotency;
alter table idempotency_of_projects rename to idempotency;
create index idempotency_age on idempotency (created_at);
create index idempotency_sandbox on idempotency (sandbox_id);

-- Templates: the same tables with one more word in their keys. Rows that point to others are put
-- aside first, since they would go with those.
create temp table old_tag as select * from template_tag;
create temp table old_env as select * from template_env;
create temp table old_layer as select * from template_layer;
create temp table old_version as select * from template_version;
drop table template_tag;
drop table template_env;
drop table template_layer;
drop table template_version;

create table template_version (
  project          text    not null,
  name             text    not null,
  version          integer not null,
  origin           text    not null,  -- for people: what it was made of
  created_at       integer not null,
  base             text    not null,
  user             text    not null,
  cwd              text    not null,
  entrypoint       text    not null,
  start_command    text    not null,  -- a line for each word; empty for none
  ready_command    text    not null,
  template_network text    not null default '',
  template_life    text    not null default '',
  primary key (project, name, version)
) strict, without rowid;

create table template_tag (
  project text    not null,
  name    text    not null,
  tag     text    not null,
  version integer not null,
  primary key (project, name, tag),
  foreign key (project, name, version)
    references template_version (project, name, version) on delete cascade
) strict, without rowid;

create table template_env (
  project  text    not null,
  name     text    not null,
  version  integer not null,
  variable text    not null,
  value    text    not null,
  primary key (project, name, version, variable),
  foreign key (project, name, version)
    references template_version (project, name, version) on delete cascade
) strict, without rowid;

create table template_layer (
  project  text    not null,
  name     text    not null,
  version  integer not null,
  position integer not null,  -- 0 is the uppermost
  layer    text    not null,
  primary key (project, name, version, position),
  foreign key (project, name, version)
    references template_version (project, name, version) on delete cascade
) strict, without rowid;

insert into template_version (project, name, version, origin, created_at, base, user, cwd,
                              entrypoint, start_command, ready_command, template_network,
                              template_life)
  select 'default', name, version, origin, created_at, base, user, cwd,
         entrypoint, start_command, ready_command, template_network, template_life
  from old_version;
insert into template_tag select 'default', name, tag, version from old_tag;
insert into template_env select 'default', name, version, variable, value from old_env;
insert into template_layer select 'default', name, version, position, layer from old_layer;
drop table old_tag;
drop table old_env;
drop table old_layer;
drop table old_version;

-- Events say whose they are. One that says nothing is its sandbox's project's; one of which nobody
-- knows is for operators alone.
alter table event add column project text;
update event set project = 'default';
alter table dead_letter add column project text;
update dead_letter set project = 'default';

create trigger event_of_a_sandbox after insert on event
when new.project is null and new.sandbox_id is not null begin
  update event set project = (select project from sandbox where id = new.sandbox_id)
  where id = new.id;
end;

-- What it began with may be gone.
drop trigger sandbox_inserted;
create trigger sandbox_inserted after insert on sandbox begin
  insert into event (at, type, sandbox_id, data, project)
  select micros, 'sandbox.created', new.id,
         json_patch('{}', json_object('name', new.name, 'template', new.template,
                                      'parent', new.parent)),
         new.project
  from now;
  insert into event (at, type, sandbox_id, data, project)
  select micros, 'sandbox.forked', new.parent, json_object('child', new.id, 'name', new.name),
         new.project
  from now where new.parent is not null;
  insert into event (at, type, sandbox_id, data, project)
  select micros, 'sandbox.' || new.state, new.id, json_object('name', new.name), new.project
  from now where new.state not in ('requested', 'starting');
end;

drop trigger sandbox_dropped;
create trigger sandbox_dropped after delete on sandbox when old.state <> 'deleted' begin
  insert into event (at, type, sandbox_id, data, project)
  select micros, 'sandbox.deleted', old.id,
         json_object('name', old.name, 'from', old.state, 'reason', 'it never came to be'),
         old.project
  from now;
end;

-- A checkpoint may be left of a sandbox that is not.
drop trigger checkpoint_inserted;
create trigger checkpoint_inserted after insert on checkpoint begin
  insert into event (at, type, sandbox_id, data, project)
  select micros, 'checkpoint.created', new.sandbox_id,
         json_object('checkpoint', new.id, 'name', new.name, 'reason', new.reason),
         new.project
  from now;
end;

drop trigger checkpoint_dropped;
create trigger checkpoint_dropped after delete on checkpoint begin
  insert into event (at, type, sandbox_id, data, project)
  select micros, 'checkpoint.deleted', old.sandbox_id,
         json_object('checkpoint', old.id, 'name', old.name),
         old.project
  from now;
end;

create trigger template_inserted after insert on template_version begin
  insert into event (at, type, data, project)
  select micros, 'template.built', json_object('template', new.name, 'version', new.version),
         new.project
  from now;
end;

create trigger template_dropped after delete on template_version begin
  insert into event (at, type, data, project)
  select micros, 'template.deleted', json_object('template', old.name, 'version', old.version),
         old.project
  from now;
end;

drop trigger volume_inserted;
create trigger volume_inserted after insert on volume begin
  insert into event (at, type, data, project)
  select micros, 'volume.created',
         json_patch('{}', json_object('volume', new.id, 'name', new.name, 'parent', new.parent)),
         new.project
  from now;
end;

drop trigger volume_dropped;
create trigger volume_dropped after delete on volume begin
  insert into event (at, type, data, project)
  select micros, 'volume.deleted',
         json_patch('{}', json_object('volume', old.id, 'name', old.name)),
         old.project
  from now;
end;

drop trigger key_inserted;
create trigger key_inserted after insert on api_key begin
  insert into event (at, type, data, project)
  select micros, 'key.created', json_object('key', new.id, 'name', new.name), new.project from now;
end;

drop trigger key_revoked;
create trigger key_revoked after update of revoked_at on api_key
when old.revoked_at is null and new.revoked_at is not null begin
  insert into event (at, type, data, project)
  select micros, 'key.revoked', json_object('key', new.id, 'name', new.name), new.project from now;
end;

create trigger project_inserted after insert on project begin
  insert into event (at, type, data)
  select micros, 'project.created', json_object('project', new.name) from now;
end;

create trigger project_dropped after delete on project begin
  insert into event (at, type, data)
  select micros, 'project.deleted', json_object('project', old.name) from now;
end;
