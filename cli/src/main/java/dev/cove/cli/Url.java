package dev.cove.cli;

import dev.cove.sdk.Cove;
import dev.cove.sdk.PortAccess;
import dev.cove.sdk.PortLink;
import dev.cove.sdk.Sandbox;
import dev.cove.sdk.SharedPort;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;

/** Ports of a sandbox as addresses. */
final class Url implements Callable<Integer> {
  private static final Duration USUAL = Duration.ofHours(1);

  private final Session session;

  private String box = "";
  private Optional<Integer> port = Optional.empty();
  private final List<PortAccess> access = new ArrayList<>();
  private Optional<Duration> time = Optional.empty();
  private boolean revoke;
  private boolean byPath;
  private boolean json;

  private Url(Session session) {
    this.session = session;
  }

  static CommandSpec describe(Session session) {
    var url = new Url(session);
    return Description.of(
            url,
            "Print an address of a port of a sandbox. Without more, it is a link that opens the"
                + " port for an hour for whoever has it; the port itself stays private.")
        .flag("--public", "Let everybody in.", () -> url.access.add(PortAccess.PUBLIC))
        .flag(
            "--bearer",
            "Let in who sends a token; it is printed on the next line, this once.",
            () -> url.access.add(PortAccess.BEARER))
        .flag(
            "--basic",
            "Let in who knows a password; USER:PASSWORD is printed on the next line, this once.",
            () -> url.access.add(PortAccess.BASIC))
        .value(
            "--expires",
            "TIME",
            "For how long: 90s, 30m, 2h, 7d; at most 30d. A link ends after an hour if this is not"
                + " said, anything else stays until it is revoked.",
            new CommandFlags.Time(Duration.ofDays(30), "30d"),
            Duration.class,
            value -> url.time = Optional.of(value))
        .flag("--path", "Print the address by path, not by host name.", () -> url.byPath = true)
        .flag(
            "--revoke",
            "Make the port private and its links void, at once.",
            () -> url.revoke = true)
        .flag("--json", "Print JSON.", () -> url.json = true)
        .parameter("BOX", "The sandbox's id or name.", value -> url.box = value)
        .optionalParameter(
            "PORT",
            "The port; without it, those that are shared are listed.",
            value -> url.port = Optional.of(PortNumber.parse(value)))
        .examples(
            "cove url box 3000",
            "cove url box 3000 --public --expires 2h",
            "curl -H \"Authorization: Bearer $TOKEN\" \"$(cove url box 3000 --bearer | head -1)\"",
            "cove url box 3000 --revoke")
        .note("An API key opens every port: send it as X-API-Key.")
        .build();
  }

  @Override
  public Integer call() {
    if (access.size() + (revoke ? 1 : 0) > 1) {
      throw new Misuse("Say one of --public, --bearer, --basic and --revoke");
    }
    if (port.isEmpty() && (revoke || byPath || !access.isEmpty() || time.isPresent())) {
      throw new Misuse("Say which port: cove url BOX PORT");
    }
    try (Cove cove = session.connect()) {
      Sandbox sandbox = cove.sandboxes().require(box);
      if (port.isEmpty()) {
        list(sandbox.ports());
      } else if (revoke) {
        sandbox.unsharePort(port.get());
      } else if (access.isEmpty()) {
        link(sandbox.linkPort(port.get(), time.orElse(USUAL)));
      } else {
        share(sandbox);
      }
    }
    return ExitCode.OK;
  }

  private void list(List<SharedPort> ports) {
    if (json) {
      session.println(JsonLines.array(ports, SharedPort::toJson));
      return;
    }
    var table = new Table("PORT", "ACCESS", "EXPIRES IN", "URL");
    Instant now = Instant.now();
    for (SharedPort shared : ports) {
      table.row(
          Integer.toString(shared.port()),
          shared.access(),
          shared.expiresAt().map(end -> Human.age(now, end)).orElse("-"),
          shared.url().toString());
    }
    table.print(session.printer(), session.colours());
  }

  private void link(PortLink link) {
    session.println(json ? link.toJson() : (byPath ? link.pathUrl() : link.url()).toString());
  }

  private void share(Sandbox sandbox) {
    int number = port.orElseThrow();
    PortAccess wanted = access.getFirst();
    SharedPort shared =
        time.isPresent()
            ? sandbox.sharePort(number, wanted, time.get())
            : sandbox.sharePort(number, wanted);
    if (json) {
      session.println(shared.toJson());
      return;
    }
    session.println((byPath ? shared.pathUrl() : shared.url()).toString());
    shared.token().ifPresent(session::println);
    shared
        .password()
        .ifPresent(password -> session.println(shared.user().orElse("") + ":" + password));
  }
}
