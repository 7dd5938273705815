package dev.cove.edge.service;

import dev.cove.control.service.Schedule;
import dev.cove.control.service.Service;
import dev.cove.control.service.Service.Ready;
import dev.cove.control.service.Service.Restart;
import dev.cove.edge.exec.GuestUser;
import dev.cove.edge.file.GuestPath;
import dev.cove.edge.http.Fields;
import dev.cove.edge.http.Text;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A service as a caller describes it. */
public record ServiceBody(
    @Nullable String name,
    @Nullable List<@Nullable String> command,
    @Nullable Map<String, @Nullable String> env,
    @Nullable String cwd,
    @Nullable String user,
    @Nullable ReadyBody ready,
    @Nullable String restart,
    @Nullable String schedule) {
  /** When it can be used: somebody listens on a port, or a command succeeds. */
  record ReadyBody(
      @Nullable Integer port, @Nullable List<@Nullable String> command, @Nullable Long timeoutMs) {
    Ready toReady() {
      Optional<Duration> patience = Optional.ofNullable(timeoutMs).map(ReadyBody::patience);
      if (port != null) {
        if (command != null) {
          throw new IllegalArgumentException("ready takes port or command, not both");
        }
        return Ready.onPort((int) Fields.between("ready.port", port, 1, 65_535), patience);
      }
      return Ready.when(Fields.textList("ready.command", command), patience);
    }

    private static Duration patience(long millis) {
      return Duration.ofMillis(Fields.between("ready.timeoutMs", millis, 1, 300_000));
    }
  }

  /** What a create says: a start command, which is a service of that name, and others after it. */
  public static List<Service> allOf(
      @Nullable List<@Nullable String> start, @Nullable List<@Nullable ServiceBody> services) {
    var all = new ArrayList<Service>();
    if (start != null) {
      all.add(
          new ServiceBody(Service.START, start, null, null, null, null, null, null).toService());
    }
    if (services != null) {
      all.addAll(allOf(services));
    }
    return Service.requireTogether(all);
  }

  static List<Service> allOf(List<@Nullable ServiceBody> services) {
    if (services.size() > Service.MAX) {
      throw new IllegalArgumentException(
          "services has %d entries, at most %d are allowed"
              .formatted(services.size(), Service.MAX));
    }
    return services.stream().map(body -> Fields.require("services[]", body).toService()).toList();
  }

  private Service toService() {
    return new Service(
        Fields.require("services[].name", name),
        Fields.textList("services[].command", command),
        Fields.textMap("services[].env", env),
        Optional.ofNullable(cwd).map(path -> GuestPath.require("services[].cwd", path)),
        Optional.ofNullable(user).map(name -> GuestUser.require(name, "")),
        ready == null ? Ready.AT_ONCE : ready.toReady(),
        restart == null ? Restart.NEVER : requireRule(restart),
        Optional.ofNullable(schedule).map(Schedule::parse),
        false);
  }

  private static Restart requireRule(String text) {
    return Restart.find(text)
        .orElseThrow(() ->
            new IllegalArgumentException(
                "restart must be never, on-failure or always, not " + Text.quote(text)));
  }
}
