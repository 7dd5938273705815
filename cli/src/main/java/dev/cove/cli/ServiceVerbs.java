package dev.cove.cli;

import dev.cove.sdk.Cove;
import dev.cove.sdk.SandboxServices;
import dev.cove.sdk.Service;
import dev.cove.sdk.ServiceStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.BiFunction;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.TypeConversionException;

/** What sandboxes are to have running. */
final class ServiceVerbs {
  private static final String BOX = "The sandbox's id or name.";
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private ServiceVerbs() {}

  static CommandSpec describe(Session session) {
    return Description.ofGroup("Programs that a sandbox is to have running.")
        .verb("ls", ls(session))
        .verb("add", add(session))
        .verb("rm", rm(session))
        .verb("start", change(session, "Start a service.", "start", SandboxServices::start))
        .verb(
            "stop",
            change(
                session,
                "Stop a service; it stays so until it is started.",
                "stop",
                SandboxServices::stop))
        .verb(
            "restart",
            change(session, "Stop a service and start it.", "restart", SandboxServices::restart))
        .build();
  }

  private static CommandSpec ls(Session session) {
    var ls =
        new Object() {
          String box = "";
          boolean json;
        };
    Callable<Integer> verb =
        () -> {
          try (Cove cove = session.connect()) {
            List<ServiceStatus> all = cove.sandboxes().require(ls.box).services().list();
            if (ls.json) {
              session.println(JsonLines.array(all, ServiceStatus::toJson));
            } else {
              table(all).print(session.printer(), session.colours());
            }
          }
          return ExitCode.OK;
        };
    return Description.of(verb, "List the services of a sandbox, in the order of their start.")
        .flag("--json", "Print a JSON array.", () -> ls.json = true)
        .parameter("BOX", BOX, box -> ls.box = box)
        .examples("cove service ls box")
        .build();
  }

  private static Table table(List<ServiceStatus> all) {
    var table = new Table("SERVICE", "STATE", "PID", "RESTARTS", "RULE", "SINCE", "COMMAND");
    Instant now = Instant.now();
    for (ServiceStatus status : all) {
      table.row(
          status.service().name(),
          state(status),
          status.pid().map(Object::toString).orElse("-"),
          Long.toString(status.restarts()),
          status.service().times().orElseGet(status.service()::restartRule),
          status.since().map(since -> Human.age(since, now)).orElse("-"),
          String.join(" ", status.service().command()));
    }
    return table;
  }

  private static String state(ServiceStatus status) {
    return status.exitCode().isPresent() && !status.state().equals("running")
        ? status.state() + " (" + status.exitCode().get() + ")"
        : status.state();
  }

  private static CommandSpec add(Session session) {
    var add = new Add(session);
    return Description.of(add, "Give a sandbox a service, or change the one of that name.")
        .text("--cwd", "FOLDER", "Where it starts.", cwd -> add.cwd = Optional.of(cwd))
        .text("--user", "USER", "As whom.", user -> add.user = Optional.of(user))
        .pairs("--env", "A variable; may be given often.", env -> add.env = env)
        .value(
            "--restart",
            "RULE",
            "What is done when it ends: never (default), on-failure or always.",
            ServiceVerbs::rule,
            Service.Restart.class,
            rule -> add.restart = rule)
        .value(
            "--ready-port",
            "PORT",
            "Those after it start when somebody listens there, within 60 s.",
            PortNumber::parse,
            Integer.class,
            port -> add.readyPort = Optional.of(port))
        .text(
            "--schedule",
            "TIMES",
            "Start it at these times instead of with the sandbox, which is woken for it: 'every 15m', or"
                + " five fields of cron in UTC.",
            times -> add.schedule = Optional.of(times))
        .parameter("BOX", BOX, box -> add.box = box)
        .parameter("NAME", "Its name.", name -> add.name = name)
        .parameters(
            "1..*",
            "COMMAND",
            "Program and arguments.",
            words -> add.command = CommandFlags.withoutDelimiter(words))
        .examples(
            "cove service add --restart always --ready-port 8000 box web -- python3 -m http.server",
            "cove service add --schedule '0 3 * * *' box nightly -- ./report.sh")
        .build();
  }

  private static Service.Restart rule(String text) {
    return switch (text) {
      case "never" -> Service.Restart.NEVER;
      case "on-failure" -> Service.Restart.ON_FAILURE;
      case "always" -> Service.Restart.ALWAYS;
      default ->
          throw new TypeConversionException("'" + text + "' is not never, on-failure or always");
    };
  }

  private static final class Add implements Callable<Integer> {
    private final Session session;
    private String box = "";
    private String name = "";
    private List<String> command = List.of();
    private Optional<String> cwd = Optional.empty();
    private Optional<String> user = Optional.empty();
    private Map<String, String> env = Map.of();
    private Service.Restart restart = Service.Restart.NEVER;
    private Optional<Integer> readyPort = Optional.empty();
    private Optional<String> schedule = Optional.empty();

    Add(Session session) {
      this.session = session;
    }

    @Override
    public Integer call() {
      try (Cove cove = session.connect()) {
        SandboxServices services = cove.sandboxes().require(box).services();
        var all = new ArrayList<Service>();
        services.list().forEach(status -> all.add(status.service()));
        Service wanted = service();
        int place = all.stream().map(Service::name).toList().indexOf(name);
        if (place < 0) {
          all.add(wanted);
        } else {
          all.set(place, wanted);
        }
        say(session, require(services.replace(all), name));
      }
      return ExitCode.OK;
    }

    private Service service() {
      Service service = Service.of(name, command.toArray(String[]::new)).restart(restart);
      for (var variable : env.entrySet()) {
        service = service.env(variable.getKey(), variable.getValue());
      }
      if (cwd.isPresent()) {
        service = service.cwd(cwd.get());
      }
      if (user.isPresent()) {
        service = service.user(user.get());
      }
      if (schedule.isPresent()) {
        service = service.schedule(schedule.get());
      }
      return readyPort.isPresent() ? service.readyOnPort(readyPort.get(), PATIENCE) : service;
    }
  }

  private static CommandSpec rm(Session session) {
    var rm =
        new Object() {
          String box = "";
          String name = "";
        };
    Callable<Integer> verb =
        () -> {
          try (Cove cove = session.connect()) {
            SandboxServices services = cove.sandboxes().require(rm.box).services();
            List<ServiceStatus> all = services.list();
            require(all, rm.name);
            services.replace(
                all.stream()
                    .map(ServiceStatus::service)
                    .filter(service -> !service.name().equals(rm.name))
                    .toList());
          }
          return ExitCode.OK;
        };
    return Description.of(verb, "End a service of a sandbox and forget it.")
        .parameter("BOX", BOX, box -> rm.box = box)
        .parameter("NAME", "Its name.", name -> rm.name = name)
        .examples("cove service rm box web")
        .build();
  }

  private static CommandSpec change(
      Session session,
      String help,
      String word,
      BiFunction<SandboxServices, String, ServiceStatus> change) {
    var named =
        new Object() {
          String box = "";
          String name = "";
        };
    Callable<Integer> verb =
        () -> {
          try (Cove cove = session.connect()) {
            SandboxServices services = cove.sandboxes().require(named.box).services();
            say(session, change.apply(services, named.name));
          }
          return ExitCode.OK;
        };
    return Description.of(verb, help)
        .parameter("BOX", BOX, box -> named.box = box)
        .parameter("NAME", "Its name.", name -> named.name = name)
        .examples("cove service %s box web".formatted(word))
        .build();
  }

  private static ServiceStatus require(List<ServiceStatus> all, String name) {
    return all.stream()
        .filter(status -> status.service().name().equals(name))
        .findFirst()
        .orElseThrow(() -> new UserError("The sandbox has no service " + Table.printable(name)));
  }

  private static void say(Session session, ServiceStatus status) {
    session.println(status.service().name() + " " + state(status));
  }
}
