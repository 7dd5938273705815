package dev.cove.edge.service;

import dev.cove.control.sandbox.ServiceControl;
import dev.cove.control.service.Schedule;
import dev.cove.control.service.Service;
import dev.cove.control.service.ServiceStatus;
import dev.cove.edge.http.Exchange;
import dev.cove.edge.http.Fields;
import dev.cove.edge.http.Route;
import dev.cove.edge.sandbox.SandboxRoutes;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What sandboxes have running, and how it fares. */
public final class ServiceRoutes {
  private static final String ALL = SandboxRoutes.ONE + "/services";
  private static final String ONE = ALL + "/{service}";

  private final ServiceControl services;

  public ServiceRoutes(ServiceControl services) {
    this.services = services;
  }

  public List<Route> routes() {
    return List.of(
        Route.of("GET", ALL, this::list),
        Route.of("PUT", ALL, this::replace),
        Route.of("POST", ONE + "/start", exchange -> change(exchange, services::start)),
        Route.of("POST", ONE + "/stop", exchange -> change(exchange, services::stop)),
        Route.of("POST", ONE + "/restart", exchange -> change(exchange, services::restart)));
  }

  private void list(Exchange exchange) {
    exchange.send(200, ListBody.of(services.list(exchange.path("box"))));
  }

  private void replace(Exchange exchange) throws IOException {
    List<Service> wanted =
        ServiceBody.allOf(Fields.require("services", exchange.json(ListWish.class).services()));
    exchange.send(200, ListBody.of(services.replace(exchange.path("box"), wanted)));
  }

  private interface Change {
    ServiceStatus apply(String box, String service);
  }

  private static void change(Exchange exchange, Change change) {
    exchange.send(200, StatusBody.of(change.apply(exchange.path("box"), exchange.path("service"))));
  }

  record ListWish(@Nullable List<@Nullable ServiceBody> services) {}

  record ListBody(List<StatusBody> items) {
    static ListBody of(List<ServiceStatus> all) {
      return new ListBody(all.stream().map(StatusBody::of).toList());
    }
  }

  record ReadyView(Optional<Integer> port, Optional<List<String>> command, long timeoutMs) {}

  record StatusBody(
      String name,
      List<String> command,
      Map<String, String> env,
      Optional<String> cwd,
      Optional<String> user,
      Optional<ReadyView> ready,
      String restart,
      Optional<String> schedule,
      boolean fromTemplate,
      String state,
      Optional<Integer> pid,
      Optional<Integer> exitCode,
      int restarts,
      Optional<String> since,
      Optional<String> nextAt) {
    static StatusBody of(ServiceStatus status) {
      Service service = status.service();
      return new StatusBody(
          service.name(),
          service.command(),
          service.env(),
          service.cwd(),
          service.user(),
          ready(service.ready()),
          service.restart().publicName(),
          service.schedule().map(Schedule::text),
          service.ofTemplate(),
          status.phase().publicName(),
          status.pid(),
          status.code(),
          status.restarts(),
          status.since().map(Object::toString),
          status.next().map(Object::toString));
    }

    private static Optional<ReadyView> ready(Service.Ready ready) {
      if (ready.port() == 0 && ready.command().isEmpty()) {
        return Optional.empty();
      }
      return Optional.of(
          new ReadyView(
              Optional.of(ready.port()).filter(port -> port > 0),
              Optional.of(ready.command()).filter(command -> !command.isEmpty()),
              ready.patience().toMillis()));
    }
  }
}
