-- Services have names and rules of their own, and it is known which process each is. Those that are
-- there already came with templates; which process is theirs is found out by their command.
alter table sandbox_service add column name text not null default 'start';
alter table sandbox_service add column env text not null default '';
alter table sandbox_service add column cwd text;
alter table sandbox_service add column user text;
alter table sandbox_service add column ready_port integer not null default 0;
alter table sandbox_service add column ready_ms integer not null default 60000;
alter table sandbox_service add column restart text not null default 'never';
alter table sandbox_service add column of_template integer not null default 1;
alter table sandbox_service add column phase text not null default 'starting';
alter table sandbox_service add column process integer not null default 0;
alter table sandbox_service add column code integer;
create unique index sandbox_service_name on sandbox_service (sandbox_id, name);
