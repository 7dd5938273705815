-- Only sandboxes that may reach something have a row.
create table sandbox_network (
  sandbox_id text    primary key references sandbox (id) on delete cascade,
  policy     text    not null,
  attended   integer not null
) strict, without rowid;
