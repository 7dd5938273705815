-- The budget of a project goes with it; what was used stays under its name.
create trigger budget_of_project after delete on project begin
  delete from budget where kind = 'project' and owner = old.name;
end;
