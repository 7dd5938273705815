package dev.cove.edge.e2b.process;

import dev.cove.control.sandbox.AutomaticCheckpoints;
import dev.cove.control.sandbox.SandboxLifecycle;
import dev.cove.edge.e2b.Envd;
import dev.cove.edge.e2b.SandboxVariables;
import dev.cove.edge.e2b.file.Person;
import dev.cove.edge.e2b.process.LiveProcess.Description;
import dev.cove.edge.e2b.rpc.Rpc;
import dev.cove.edge.e2b.rpc.Rpc.Call;
import dev.cove.edge.e2b.rpc.RpcCode;
import dev.cove.edge.e2b.rpc.RpcRefusal;
import dev.cove.edge.e2b.rpc.RpcStream;
import dev.cove.edge.exec.CommandFields;
import dev.cove.edge.exec.CommandFields.Surroundings;
import dev.cove.edge.http.ClientPresence;
import dev.cove.edge.http.Fields;
import dev.cove.edge.http.Route;
import dev.cove.guest.Command;
import dev.cove.guest.CommandSpec;
import dev.cove.guest.FileInfo;
import dev.cove.guest.Guest;
import dev.cove.guest.GuestException;
import java.io.IOException;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** E2B's service {@code process.Process}. */
public final class ProcessRpc {
  private static final Logger LOG = LoggerFactory.getLogger(ProcessRpc.class);
  private static final int KILL = 9;
  private static final int TERM = 15;
  private static final long LONGEST_TIMEOUT_MS = Duration.ofDays(1).toMillis();

  private final Envd envd;
  private final SandboxLifecycle lifecycle;
  private final AutomaticCheckpoints automatic;
  private final LiveProcesses processes;

  public ProcessRpc(Envd envd, SandboxLifecycle lifecycle, AutomaticCheckpoints automatic) {
    this.envd = envd;
    this.lifecycle = lifecycle;
    this.automatic = automatic;
    this.processes = new LiveProcesses(lifecycle);
  }

  public List<Route> routes() {
    var rpc = new Rpc(envd, "process.Process");
    return List.of(
        rpc.stream("Start", StartRequest.class, this::start),
        rpc.stream("Connect", ProcessRequest.class, this::connect),
        rpc.unary("List", Nothing.class, this::list),
        rpc.unary("SendInput", InputRequest.class, this::sendInput),
        rpc.unary("CloseStdin", ProcessRequest.class, this::closeStdin),
        rpc.unary("SendSignal", SignalRequest.class, this::sendSignal),
        rpc.unary("Update", UpdateRequest.class, this::update));
  }

  record Nothing() {}

  record ProcessRequest(@Nullable Selector process) {}

  record InputRequest(@Nullable Selector process, @Nullable Input input) {}

  record Input(@Nullable String stdin, @Nullable String pty) {}

  record SignalRequest(@Nullable Selector process, @Nullable String signal) {}

  record UpdateRequest(@Nullable Selector process, StartRequest.@Nullable Pty pty) {}

  private void start(Call call, StartRequest request, RpcStream answer)
      throws IOException, InterruptedException {
    Guest guest = envd.guest(call.sandbox());
    StartRequest.Config config = request.config();
    Optional<String> wanted = Optional.ofNullable(config.cwd()).filter(path -> !path.isEmpty());
    Supplier<Person> person = () -> Person.of(call.exchange(), call.sandbox(), guest);
    Optional<String> usual =
        Person.usual(call.exchange(), call.sandbox()).filter(_ -> wanted.isEmpty());
    String user = usual.orElseGet(() -> person.get().name());
    Optional<String> cwd = wanted.map(path -> requireFolder(guest, person.get(), path));
    Map<String, String> environment = Fields.textMap("process.envs", config.envs());
    CommandSpec spec =
        new CommandFields(
                config.command(),
                cwd.orElse(null),
                Map.copyOf(environment),
                user,
                agentTimeout(call))
            .toSpec(
                new Surroundings(
                    call.sandbox().spec(), SandboxVariables.of(lifecycle, call.sandbox())),
                request.reads(),
                request.terminal(),
                true);
    automatic.beforeCommand(call.sandbox(), spec.argv());
    var description =
        new Description(
            Optional.ofNullable(request.tag()),
            spec.argv().getFirst(),
            spec.argv().subList(1, spec.argv().size()),
            environment,
            cwd,
            request.reads(),
            request.terminal().isPresent());
    LiveProcess process =
        processes.add(call.sandbox().id(), started(guest, spec, person), description);
    var following = new Following(call, answer, process);
    following.begin(() -> processes.begin(call.sandbox().id(), guest, process));
    try {
      following.run();
    } catch (RpcRefusal e) {
      if (e.rpcCode() == RpcCode.DEADLINE_EXCEEDED) {
        kill(guest, process);
      }
      throw e;
    }
  }

  private static Command started(Guest guest, CommandSpec spec, Supplier<Person> person) {
    try {
      return guest.start(spec);
    } catch (GuestException e) {
      var _ = person.get(); // whoever is not there is told of in E2B's words
      throw e;
    }
  }

  /** The agent may have been first. */
  private static void kill(Guest guest, LiveProcess process) {
    try {
      guest.signal(process.processId(), KILL, true);
    } catch (GuestException e) {
      LOG.debug("A command had ended when its time was over", e);
    }
  }

  /** The agent ends it at that time whoever listens; what is longer, this server sees to. */
  private static @Nullable Long agentTimeout(Call call) {
    OptionalLong timeout = call.timeoutMs();
    boolean given =
        timeout.isPresent() && timeout.getAsLong() > 0 && timeout.getAsLong() <= LONGEST_TIMEOUT_MS;
    return given ? timeout.getAsLong() : null;
  }

  private static String requireFolder(Guest guest, Person person, String path) {
    String folder = person.resolve(path);
    try {
      if (guest.files("root").stat(folder, true).type() == FileInfo.Type.FOLDER) {
        return folder;
      }
    } catch (GuestException _) {
      // Whatever the reason, it is no place to work in.
    }
    throw new RpcRefusal(RpcCode.INVALID_ARGUMENT, "cwd '%.256s' does not exist".formatted(folder));
  }

  private void connect(Call call, ProcessRequest request, RpcStream answer)
      throws IOException, InterruptedException {
    var following = new Following(call, answer, require(call, request.process()));
    following.begin(() -> {});
    following.run();
  }

  private LiveProcess require(Call call, @Nullable Selector wanted) {
    return processes.require(
        call.sandbox().id(), envd.guest(call.sandbox()), Fields.require("process", wanted));
  }

  private LiveProcess requireRunning(Call call, @Nullable Selector wanted) {
    LiveProcess process = require(call, wanted);
    if (process.hasEnded()) {
      throw new RpcRefusal(RpcCode.NOT_FOUND, wanted + " not found");
    }
    return process;
  }

  private Object list(Call call, Nothing request) {
    return Map.of("processes", processes.list(call.sandbox().id(), envd.guest(call.sandbox())));
  }

  private Object sendInput(Call call, InputRequest request) throws IOException {
    Input input = Fields.require("input", request.input());
    String text = input.stdin() == null ? input.pty() : input.stdin();
    byte[] bytes = decode(Fields.require("input.stdin", text));
    LiveProcess process = requireRunning(call, request.process());
    Thread writer = Thread.currentThread();
    // It blocks while the process reads nothing, which may be for as long as somebody waits.
    try (ClientPresence _ = call.exchange().watchClient(writer::interrupt)) {
      process.write(bytes);
    }
    return Map.of();
  }

  private static byte[] decode(String base64) {
    try {
      return Base64.getDecoder().decode(base64);
    } catch (IllegalArgumentException e) {
      throw new RpcRefusal(RpcCode.INVALID_ARGUMENT, "input is not valid base64");
    }
  }

  private Object closeStdin(Call call, ProcessRequest request) throws IOException {
    requireRunning(call, request.process()).closeInput();
    return Map.of();
  }

  private Object sendSignal(Call call, SignalRequest request) {
    int signal =
        switch (Fields.require("signal", request.signal())) {
          case "SIGNAL_SIGKILL" -> KILL;
          case "SIGNAL_SIGTERM" -> TERM;
          default ->
              throw new RpcRefusal(
                  RpcCode.UNIMPLEMENTED, "Only SIGNAL_SIGKILL and SIGNAL_SIGTERM can be sent");
        };
    LiveProcess process = requireRunning(call, request.process());
    try {
      envd.guest(call.sandbox()).signal(process.processId(), signal, true);
    } catch (GuestException e) {
      throw new RpcRefusal(RpcCode.NOT_FOUND, request.process() + " not found"); // it has ended
    }
    return Map.of();
  }

  private Object update(Call call, UpdateRequest request) {
    LiveProcess process = requireRunning(call, request.process());
    if (request.pty() != null) {
      process.resize(request.pty().terminal());
    }
    return Map.of();
  }
}
