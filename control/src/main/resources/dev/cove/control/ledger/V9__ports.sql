-- Only ports that were shared, or that a link was made for, have a row; any other is private.
create table shared_port (
  sandbox_id  text    not null references sandbox (id) on delete cascade,
  port        integer not null,
  access      text    not null,  -- those of PortAccess.publicName()
  secret_hash blob,              -- SHA-256 of the token or password, where access needs one
  link_key    blob    not null,  -- signs this port's links; with a new one, old links are void
  created_at  integer not null,
  expires_at  integer,
  primary key (sandbox_id, port)
) strict, without rowid;
