create table volume (
  id         text    primary key,
  checkpoint integer not null,  -- 1 for one that never changes
  name       text,              -- a checkpoint has none
  size_mb    integer not null,
  created_at integer not null,
  parent     text               -- no foreign key: what it began with may be gone
) strict, without rowid;

create unique index volume_name on volume (name) where name is not null;

-- volume_id is no foreign key: a sandbox that has failed keeps its row when the volume goes.
create table sandbox_volume (
  sandbox_id text    not null references sandbox (id) on delete cascade,
  target     text    not null,
  volume_id  text    not null,
  read_only  integer not null,
  primary key (sandbox_id, target)
) strict, without rowid;
