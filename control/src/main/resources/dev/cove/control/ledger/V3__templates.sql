-- What a sandbox, and what is made of it, keeps of its template.
alter table sandbox add column base text not null default 'host';  -- those of Base.publicName()
alter table sandbox add column user text not null default 'user';
alter table sandbox add column cwd text not null default '';
alter table sandbox add column entrypoint text not null default '';  -- a line for each word
alter table checkpoint add column base text not null default 'host';
alter table checkpoint add column user text not null default 'user';
alter table checkpoint add column cwd text not null default '';
alter table checkpoint add column entrypoint text not null default '';

create table template_version (
  name          text    not null,
  version       integer not null,
  origin        text    not null,  -- for people: what it was made of
  created_at    integer not null,
  base          text    not null,
  user          text    not null,
  cwd           text    not null,
  entrypoint    text    not null,
  start_command text    not null,  -- a line for each word; empty for none
  ready_command text    not null,
  primary key (name, version)
) strict, without rowid;

create table template_tag (
  name    text    not null,
  tag     text    not null,
  version integer not null,
  primary key (name, tag),
  foreign key (name, version) references template_version (name, version) on delete cascade
) strict, without rowid;

create table template_env (
  name     text    not null,
  version  integer not null,
  variable text    not null,
  value    text    not null,
  primary key (name, version, variable),
  foreign key (name, version) references template_version (name, version) on delete cascade
) strict, without rowid;

create table template_layer (
  name     text    not null,
  version  integer not null,
  position integer not null,  -- 0 is the uppermost
  layer    text    not null,
  primary key (name, version, position),
  foreign key (name, version) references template_version (name, version) on delete cascade
) strict, without rowid;

-- What a step of a build, or a layer of an image, gave over what lay below: nothing that is asked
-- for by name, so any of it may be dropped.
create table build_cache (
  key     text    primary key,
  used_at integer not null
) strict, without rowid;

create table build_cache_layer (
  key      text    not null references build_cache (key) on delete cascade,
  position integer not null,
  layer    text    not null,
  primary key (key, position)
) strict, without rowid;
