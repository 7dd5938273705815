-- What happens to sandboxes by themselves: rules of a sandbox's own, and those of its template.
alter table template_version add column template_life text not null default '';
alter table checkpoint add column template_life text not null default '';
alter table sandbox add column template_life text not null default '';

-- Only of sandboxes of which something is said. When its life ends is written down once, so that a
-- restart of the server does not make it longer.
create table sandbox_life (
  sandbox_id text primary key references sandbox (id) on delete cascade,
  rules      text not null,
  ends_at    integer
) strict, without rowid;

-- Sandboxes that ran when the host went down, are to start again, and have not been started yet.
create table start_again (
  sandbox_id text primary key references sandbox (id) on delete cascade
) strict, without rowid;
