alter table checkpoint_rules add column from_inside integer not null default 0;
