package dev.cove.sdk;

import dev.cove.sdk.transport.Request;
import java.util.Optional;

/** How much sandboxes, and projects with all their sandboxes, may use. */
public final class Budgets {
  private static final int NOT_FOUND = 404;

  private final Api api;

  Budgets(Api api) {
    this.api = api;
  }

  /** Empty where the sandbox has none, or is not there. */
  public Optional<Budget> ofSandbox(String idOrName) {
    return find(sandbox(idOrName));
  }

  /** In place of the one before. What was used in this period so far counts. */
  public Budget setForSandbox(String idOrName, BudgetLimits limits) {
    return set(sandbox(idOrName), limits);
  }

  public void removeFromSandbox(String idOrName) {
    remove(sandbox(idOrName));
  }

  /** For operators. Empty where the project has none, or is not there. */
  public Optional<Budget> ofProject(String name) {
    return find(project(name));
  }

  /** For operators. All its sandboxes together may use no more. */
  public Budget setForProject(String name, BudgetLimits limits) {
    return set(project(name), limits);
  }

  public void removeFromProject(String name) {
    remove(project(name));
  }

  private static String project(String name) {
    return Api.ROOT + "/projects/" + Api.encode(name) + "/budget";
  }

  private static String sandbox(String idOrName) {
    return Api.ROOT + "/sandboxes/" + Api.encode(idOrName) + "/budget";
  }

  private Optional<Budget> find(String path) {
    try {
      return Optional.of(api.fetch(path, Budget::of));
    } catch (CoveApiException e) {
      if (e.status() == NOT_FOUND) {
        return Optional.empty();
      }
      throw e;
    }
  }

  private Budget set(String path, BudgetLimits limits) {
    return api.call("PUT", path, limits.toJson(), Budget::of);
  }

  private void remove(String path) {
    api.order(Request.of("DELETE", path));
  }
}
