-- A service may be started at times that its owner says, and no run of it is made twice or forgotten:
-- the row says when the last one began.
alter table sandbox_service add column schedule text;
alter table sandbox_service add column last_at integer not null default 0;
