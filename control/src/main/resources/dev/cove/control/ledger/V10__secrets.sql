-- Which secrets go out of a sandbox, and where. Names only: values are never in the ledger.
create table sandbox_secret (
  sandbox_id text    not null references sandbox (id) on delete cascade,
  position   integer not null,
  secret     text    not null,
  hosts      text    not null,
  place      text    not null,
  methods    text    not null,
  paths      text    not null,
  added      integer not null,
  plain_http integer not null,
  env        text    not null,
  primary key (sandbox_id, position)
) strict, without rowid;
