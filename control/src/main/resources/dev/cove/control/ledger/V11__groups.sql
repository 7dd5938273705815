-- A limit of zero is the server's.
alter table sandbox_network add column connections integer not null default 0;
alter table sandbox_network add column new_connections integer not null default 0;
alter table sandbox_network add column name_queries integer not null default 0;
alter table sandbox_network add column bytes_per_hour integer not null default 0;

-- Only sandboxes that are in a group have a row.
create table sandbox_group (
  sandbox_id text primary key references sandbox (id) on delete cascade,
  name       text not null,
  ports      text not null  -- those that the others may connect to, as in 5432,8000-8099; empty for all
) strict, without rowid;

create index sandbox_group_name on sandbox_group (name);

-- What a template says of networks, as NetworkText writes it; empty for nothing.
alter table sandbox add column template_network text not null default '';
alter table checkpoint add column template_network text not null default '';
alter table template_version add column template_network text not null default '';
