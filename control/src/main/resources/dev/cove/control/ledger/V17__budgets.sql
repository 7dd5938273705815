-- What may be used in each period, and what was: the sums grow in the transactions of the usage itself.
create table budget (
  kind               text    not null,  -- sandbox, project
  owner              text    not null,
  period             text    not null,  -- total, day, month
  limit_cpu_seconds  integer,
  limit_egress_bytes integer,
  limit_cost         text,              -- a decimal number
  warn_percent       integer not null,
  began              integer not null,  -- the period of the sums; seconds since 1970
  told               text    not null,  -- within, warned, exhausted
  cpu_micros         integer not null,
  memory_kib_seconds integer not null,
  disk_kib_seconds   integer not null,
  sent_bytes         integer not null,
  received_bytes     integer not null,
  running_millis     integer not null,
  paused_millis      integer not null,
  stopped_millis     integer not null,
  primary key (kind, owner)
) strict, without rowid;

create trigger budget_of_sandbox after delete on sandbox begin
  delete from budget where kind = 'sandbox' and owner = old.id;
end;
