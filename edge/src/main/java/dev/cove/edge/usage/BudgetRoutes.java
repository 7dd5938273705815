package dev.cove.edge.usage;

import dev.cove.control.project.Projects;
import dev.cove.control.sandbox.SandboxLifecycle;
import dev.cove.control.usage.BudgetHolder;
import dev.cove.control.usage.Budgets;
import dev.cove.edge.http.Exchange;
import dev.cove.edge.http.Route;
import dev.cove.edge.sandbox.SandboxRoutes;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import java.io.IOException;
import java.util.List;

/** How much sandboxes, and projects with all of theirs, may use. */
public final class BudgetRoutes {
  private static final String OF_SANDBOX = SandboxRoutes.ONE + "/budget";
  private static final String OF_PROJECT = "/api/v1/projects/{project}/budget";

  private final Budgets budgets;
  private final SandboxLifecycle lifecycle;
  private final Projects projects;

  public BudgetRoutes(Budgets budgets, SandboxLifecycle lifecycle, Projects projects) {
    this.budgets = budgets;
    this.lifecycle = lifecycle;
    this.projects = projects;
  }

  public List<Route> routes() {
    return List.of(
        Route.of("GET", OF_SANDBOX, exchange -> show(exchange, sandbox(exchange))),
        Route.of("PUT", OF_SANDBOX, exchange -> set(exchange, sandbox(exchange))),
        Route.of("DELETE", OF_SANDBOX, exchange -> remove(exchange, sandbox(exchange))),
        Route.of("GET", OF_PROJECT, exchange -> show(exchange, project(exchange))).forOperators(),
        Route.of("PUT", OF_PROJECT, exchange -> set(exchange, project(exchange))).forOperators(),
        Route.of("DELETE", OF_PROJECT, exchange -> remove(exchange, project(exchange)))
            .forOperators());
  }

  private BudgetHolder sandbox(Exchange exchange) {
    return BudgetHolder.of(lifecycle.require(exchange.path("box")).id());
  }

  private BudgetHolder project(Exchange exchange) {
    return BudgetHolder.ofProject(projects.require(exchange.path("project")).name().value());
  }

  private void show(Exchange exchange, BudgetHolder holder) {
    exchange.send(
        200, budgets.now(holder).map(BudgetBody.Told::of).orElseThrow(() -> none(holder)));
  }

  private void set(Exchange exchange, BudgetHolder holder) throws IOException {
    BudgetBody body = exchange.json(BudgetBody.class);
    exchange.send(200, BudgetBody.Told.of(budgets.set(holder, body.toBudget())));
  }

  private void remove(Exchange exchange, BudgetHolder holder) {
    if (!budgets.remove(holder)) {
      throw none(holder);
    }
    exchange.sendNothing(204);
  }

  private static CoveException none(BudgetHolder holder) {
    return new CoveException(
        ErrorCode.NOT_FOUND, "The %s has no budget.".formatted(holder.kind().publicName()));
  }
}
