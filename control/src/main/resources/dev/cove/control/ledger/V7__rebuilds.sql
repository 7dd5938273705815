-- A sandbox that is being built anew over other layers. For a moment nothing of it runs: whoever
-- finds it so later builds it over the layers of the checkpoint that was taken just before.
create table sandbox_rebuild (
  sandbox_id text primary key references sandbox (id) on delete cascade,
  undo       text not null
) strict, without rowid;
