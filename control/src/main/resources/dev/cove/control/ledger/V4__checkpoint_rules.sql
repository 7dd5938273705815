-- Only sandboxes that do not keep to the usual rules have a row.
create table checkpoint_rules (
  sandbox_id     text    primary key references sandbox (id) on delete cascade,
  before_exec    integer not null,
  every_minutes  integer,
  keep_automatic integer not null,
  max_age_hours  integer
) strict, without rowid;
