-- Which tier sandboxes of a project get when nobody names one; the server's where there is nothing.
alter table project add column tier text;
