-- Times are microseconds since 1970. State words are those of SandboxState.publicName().

create table sandbox (
  id            text    primary key,
  name          text    not null,  -- as the caller wrote it
  name_key      text    not null,  -- the same in Unicode normal form C: what uniqueness is about
  template      text    not null,
  tier          text    not null,
  milli_cpus    integer not null,
  memory_mb     integer not null,
  disk_mb       integer not null,
  max_processes integer not null,
  state         text    not null,
  state_since   integer,           -- running, paused
  state_reason  text,              -- stopped, failed
  created_at    integer not null
) strict, without rowid;

-- A sandbox that is being taken apart has given its name back.
create unique index sandbox_name on sandbox (name_key) where state <> 'deleted';

create table sandbox_env (
  sandbox_id text not null references sandbox (id) on delete cascade,
  name       text not null,
  value      text not null,
  primary key (sandbox_id, name)
) strict, without rowid;

create table sandbox_label (
  sandbox_id text not null references sandbox (id) on delete cascade,
  name       text not null,
  value      text not null,
  primary key (sandbox_id, name)
) strict, without rowid;

-- sandbox_id is no foreign key: a key outlives its sandbox, so that a late retry of a create
-- does not make a second sandbox after the first was used and deleted.
create table idempotency (
  seq          integer primary key autoincrement,
  key          text    not null unique,
  request_hash text    not null,
  sandbox_id   text    not null,
  created_at   integer not null
) strict;

create index idempotency_age on idempotency (created_at);
create index idempotency_sandbox on idempotency (sandbox_id);

create table api_key (
  id           text    primary key,
  name         text    not null,
  hash         blob    not null,
  last4        text    not null,
  created_at   integer not null,
  last_used_at integer,
  revoked_at   integer
) strict, without rowid;

-- The boot during which the ledger was last in use: tells a crash of the server from one of the host.
create table host (
  one     integer primary key check (one = 1),
  boot_id text not null
) strict;
