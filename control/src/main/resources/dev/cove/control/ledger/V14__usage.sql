-- Up to where each sandbox has been counted: moments since a boot, and readings of counters with the
-- moment at which they were at zero. Changes only together with the usage that it adds.
create table meter (
  sandbox_id     text    primary key references sandbox (id) on delete cascade,
  phase          text    not null,   -- none, running, paused, stopped
  until_boot     text,
  until_nanos    integer,
  memory_bytes   integer,
  disk_bytes     integer,
  cpu_boot       text,
  cpu_since      integer,
  cpu_micros     integer,
  sent_boot      text,
  sent_since     integer,
  sent_bytes     integer,
  received_boot  text,
  received_since integer,
  received_bytes integer
) strict, without rowid;

insert into meter (sandbox_id, phase)
select id, case when state in ('running', 'paused', 'stopped') then state else 'none' end from sandbox;

-- What was used. Outlives the sandbox.
create table usage (
  sandbox_id         text    not null,  -- empty for what sandboxes of a project used long ago, together
  start              integer not null,  -- of the hour, or of the day; seconds since 1970
  seconds            integer not null,  -- 3600 or 86400
  project            text    not null,
  cpu_micros         integer not null,
  memory_kib_seconds integer not null,
  disk_kib_seconds   integer not null,
  sent_bytes         integer not null,
  received_bytes     integer not null,
  running_millis     integer not null,
  paused_millis      integer not null,
  stopped_millis     integer not null,
  primary key (sandbox_id, start, project)
) strict, without rowid;

create index usage_start on usage (start);

-- Whose usage that is, for as long as there is any.
create table metered (
  sandbox_id text primary key,
  project    text not null,
  name       text not null
) strict, without rowid;

create table metered_label (
  sandbox_id text not null references metered (sandbox_id) on delete cascade,
  name       text not null,
  value      text not null,
  primary key (sandbox_id, name)
) strict, without rowid;

insert into metered (sandbox_id, project, name) select id, 'default', name from sandbox;
insert into metered_label (sandbox_id, name, value) select sandbox_id, name, value from sandbox_label;
