-- What is started in a sandbox whenever it starts, in that order. Words as in entrypoints.
create table sandbox_service (
  sandbox_id text    not null references sandbox (id) on delete cascade,
  position   integer not null,
  command    text    not null,
  ready      text    not null,
  primary key (sandbox_id, position)
) strict, without rowid;
