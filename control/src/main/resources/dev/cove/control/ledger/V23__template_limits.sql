-- How much sandboxes of a template may use, where that is said.
alter table template_version add column milli_cpus integer;
alter table template_version add column memory_mb integer;
alter table template_version add column disk_mb integer;
alter table template_version add column max_processes integer;
