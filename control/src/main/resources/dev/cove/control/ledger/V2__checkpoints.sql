alter table sandbox add column parent text; -- the sandbox whose state it began with

-- sandbox_id is no foreign key: a checkpoint outlives its sandbox.
create table checkpoint (
  id            text    primary key,
  sandbox_id    text    not null,
  name          text    not null,
  reason        text    not null,  -- those of Checkpoint.Reason.publicName()
  created_at    integer not null,
  template      text    not null,
  tier          text    not null,
  milli_cpus    integer not null,
  memory_mb     integer not null,
  disk_mb       integer not null,
  max_processes integer not null,
  bytes         integer not null,  -- of the uppermost layer
  frozen_nanos  integer not null,
  copied        integer not null
) strict, without rowid;

create index checkpoint_sandbox on checkpoint (sandbox_id, created_at);

create table checkpoint_env (
  checkpoint_id text not null references checkpoint (id) on delete cascade,
  name          text not null,
  value         text not null,
  primary key (checkpoint_id, name)
) strict, without rowid;

create table checkpoint_layer (
  checkpoint_id text    not null references checkpoint (id) on delete cascade,
  position      integer not null,  -- 0 is the uppermost
  layer         text    not null,
  primary key (checkpoint_id, position)
) strict, without rowid;
