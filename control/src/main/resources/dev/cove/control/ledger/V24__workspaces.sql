-- Folders of the host that a sandbox has, which callers know as projects; that word is taken here.
create table sandbox_workspace (
  sandbox_id text    not null references sandbox (id) on delete cascade,
  position   integer not null,
  path       text    not null,
  target     text    not null,
  read_only  integer not null,
  hide       text    not null,
  show       text    not null,
  primary key (sandbox_id, position)
) strict, without rowid;

-- Commands before which a checkpoint was taken. They go with the checkpoint: without it nobody can
-- tell what they changed, or go back to before them.
create table recorded_command (
  sandbox_id    text    not null references sandbox (id) on delete cascade,
  number        integer not null,
  command       text    not null,
  started_at    integer not null,
  checkpoint_id text    not null references checkpoint (id) on delete cascade,
  primary key (sandbox_id, number)
) strict, without rowid;

create index recorded_command_checkpoint on recorded_command (checkpoint_id);
