package dev.cove.sdk;

import dev.cove.sdk.json.Json;
import dev.cove.sdk.json.JsonObject;
import dev.cove.sdk.json.JsonShapeException;
import dev.cove.sdk.json.JsonValue;
import dev.cove.sdk.transport.Body;
import dev.cove.sdk.transport.Request;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One sandbox.
 *
 * <p>Closing a sandbox that {@link Sandboxes#create} or {@link #fork} made deletes it, unless
 * {@link #detach} was called; closing one that was found does nothing.
 */
public final class Sandbox implements AutoCloseable {
  private static final Duration EXEC_GRACE = Duration.ofSeconds(30);

  /** A full disk may have to be copied, and a fork may make a thousand sandboxes. */
  private static final Duration STATE_TIMEOUT = Duration.ofMinutes(10);

  private static final Duration LINK_TIME = Duration.ofHours(1);

  private final Api api;
  private final SandboxInfo info;
  private final String path;
  private volatile boolean owned;

  Sandbox(Api api, SandboxInfo info, boolean owned) {
    this.api = api;
    this.info = info;
    this.path = Sandboxes.pathOf(info.id());
    this.owned = owned;
  }

  public String id() {
    return info.id();
  }

  /** As it was when this object was made. */
  public SandboxInfo info() {
    return info;
  }

  /** As it is now. */
  public SandboxInfo fetchInfo() {
    return api.fetch(path, SandboxInfo::of);
  }

  /** Merges these labels into those it has. */
  public SandboxInfo label(Map<String, String> labels) {
    return patchLabels(JsonObject.ofTexts(labels));
  }

  public SandboxInfo removeLabel(String name) {
    return patchLabels(JsonObject.builder().put(name, new JsonValue.Null()).build());
  }

  private SandboxInfo patchLabels(JsonObject labels) {
    return api.call(
        "PATCH", path, JsonObject.builder().put("labels", labels).build(), SandboxInfo::of);
  }

  /** Says what is to happen to it by itself from now on; what is not said stays as it is. */
  public SandboxInfo changeLife(LifeChange change) {
    return api.call(
        "PATCH", path, JsonObject.builder().put("life", change.toBody()).build(), SandboxInfo::of);
  }

  /** Makes all of it stand still; memory is kept. Whoever uses it wakes it. */
  public SandboxInfo pause() {
    return rest("/pause");
  }

  public SandboxInfo resume() {
    return rest("/resume");
  }

  /** Ends its processes in order; its files are kept. Only {@link #start()} starts it again. */
  public SandboxInfo stop() {
    return rest("/stop");
  }

  /**
   * The same with so much time between SIGTERM and SIGKILL.
   *
   * @param wakes whether whoever uses it starts it again
   */
  public SandboxInfo stop(Duration grace, boolean wakes) {
    return rest("/stop?grace=%d&wakes=%b".formatted(grace.toSeconds(), wakes));
  }

  /** Makes it run if it is stopped or paused, with the services that it started with. */
  public SandboxInfo start() {
    return rest("/start");
  }

  private SandboxInfo rest(String verb) {
    return api.call(Request.of("POST", path + verb).readTimeout(STATE_TIMEOUT), SandboxInfo::of);
  }

  /** Runs a program to its end. */
  public ExecResult exec(String... argv) {
    return exec(Command.of(argv));
  }

  /** Runs a command to its end. */
  public ExecResult exec(Command command) {
    return exec(command, null);
  }

  /** Runs a command to its end with these bytes as its input. */
  public ExecResult exec(Command command, byte @Nullable [] stdin) {
    var json = command.toJson().put("encoding", "base64");
    if (stdin != null) {
      json.put("stdinBase64", Base64.getEncoder().encodeToString(stdin));
    }
    Duration limit = command.timeout();
    return api.call(
        Request.of("POST", path + "/exec")
            .body(Body.json(Json.write(json.build())))
            .readTimeout(limit.isPositive() ? limit.plus(EXEC_GRACE) : Duration.ZERO),
        ExecResult::of);
  }

  /**
   * Runs code in the context of its language, which remembers what code before it did. The sandbox
   * must have the code interpreter, as those of the template {@code code-interpreter-v1} do.
   *
   * @param language such as {@code python}, {@code javascript}, {@code typescript} or {@code bash}
   */
  public CodeResult runCode(String language, String code) {
    return code().run(CodeRun.of(language, code));
  }

  /** The code interpreter, with contexts of one's own and what comes as it comes. */
  public SandboxCode code() {
    return new SandboxCode(api, path);
  }

  /** Starts a command whose streams are open while it runs. */
  public RunningCommand start(Command command) {
    return RunningCommand.start(api, path, command);
  }

  /** Starts a command that nobody watches; see {@link #attach}. */
  public ProcessInfo spawn(Command command) {
    return api.call("POST", path + "/processes", command.toProcessJson().build(), ProcessInfo::of);
  }

  /** Watches a command that was started before: what it wrote lately comes again, then the rest. */
  public RunningCommand attach(long processId) {
    return RunningCommand.attach(api, processPath(processId));
  }

  public List<ProcessInfo> processes() {
    return api.fetch(path + "/processes", items(ProcessInfo::of));
  }

  public ProcessInfo requireProcess(long processId) {
    return api.fetch(processPath(processId), ProcessInfo::of);
  }

  /** Sends a signal, such as {@code TERM}, to the command and all that it started. */
  public void signal(long processId, String signal) {
    api.order(
        "POST",
        processPath(processId) + "/signal",
        JsonObject.builder().put("signal", signal).build());
  }

  /** Kills the command and forgets what it wrote. */
  public void kill(long processId) {
    api.order(Request.of("DELETE", processPath(processId)));
  }

  private String processPath(long processId) {
    return path + "/processes/" + processId;
  }

  /** What it changed in projects of the server's host. */
  public SandboxChanges changes() {
    return new SandboxChanges(api, path);
  }

  /** Commands before which checkpoints were taken, the oldest first. */
  public List<RecordedCommand> commands() {
    return api.call(
        Request.of("GET", path + "/commands").readTimeout(STATE_TIMEOUT),
        json -> json.objects("commands").stream().map(RecordedCommand::of).toList());
  }

  /**
   * Takes it back to before a command, by its number; its processes end.
   *
   * @return the checkpoint of the state that it had
   */
  public String rewind(int command) {
    return api.call(
        Request.of("POST", path + "/rewind")
            .body(Body.json(Json.write(JsonObject.builder().put("command", command).build())))
            .readTimeout(STATE_TIMEOUT),
        json -> json.requireText("checkpoint"));
  }

  public SandboxFiles files() {
    return new SandboxFiles(api, path + "/files", "");
  }

  /** What its services have said. */
  public SandboxLogs logs() {
    return new SandboxLogs(api, path);
  }

  /** What it is to have running. */
  public SandboxServices services() {
    return new SandboxServices(api, path);
  }

  public SandboxMetrics metrics() {
    return api.fetch(path + "/metrics", SandboxMetrics::of);
  }

  /** Connects to a TCP port on the sandbox's own loopback. */
  public PortConnection connect(int port) {
    return new PortConnection(api.openWebSocket(path + "/ports/" + port + "/connect"));
  }

  /** The ports that have a setting or a link; every other is private. */
  public List<SharedPort> ports() {
    return api.fetch(
        path + "/ports", json -> json.objects("items").stream().map(SharedPort::of).toList());
  }

  /** Says who may use a port, until said otherwise. What opened it before does so no more. */
  public SharedPort sharePort(int port, PortAccess access) {
    return sharePort(port, JsonObject.builder().put("access", access.publicName()));
  }

  /** Says who may use a port for so long; then it is private again. */
  public SharedPort sharePort(int port, PortAccess access, Duration time) {
    return sharePort(
        port,
        JsonObject.builder()
            .put("access", access.publicName())
            .put("expiresInSeconds", time.toSeconds()));
  }

  private SharedPort sharePort(int port, JsonObject.Builder wanted) {
    return api.call("PUT", path + "/ports/" + port, wanted.build(), SharedPort::of);
  }

  /** Makes a port private and its links void, at once. */
  public void unsharePort(int port) {
    api.order(Request.of("DELETE", path + "/ports/" + port));
  }

  /** An address of a private port that whoever has it can open, for an hour. */
  public URI url(int port) {
    return linkPort(port, LINK_TIME).url();
  }

  /** Makes an address that opens a port for so long. */
  public PortLink linkPort(int port, Duration time) {
    return api.call(
        "POST",
        path + "/ports/" + port + "/link",
        JsonObject.builder().put("expiresInSeconds", time.toSeconds()).build(),
        PortLink::of);
  }

  /**
   * Puts a port on this machine: any TCP connection to the local address is one to the port.
   *
   * @param local port 0 for any free one
   */
  public PortForward forward(InetSocketAddress local, int port) throws IOException {
    return PortForward.listen(this, local, port);
  }

  /** What it may reach. */
  public Network network() {
    return api.fetch(path + "/network", Network::of);
  }

  /** Says anew what it may reach. Connections that are no longer allowed are cut. */
  public Network setNetwork(Network network) {
    return api.call("PUT", path + "/network", network.toBody(), Network::of);
  }

  /** Allows more; a rule that was a denial is none any more. */
  public Network allow(String... rules) {
    return addRules("allow", rules);
  }

  /** Denies more, also to connections that are open. */
  public Network deny(String... rules) {
    return addRules("deny", rules);
  }

  private Network addRules(String list, String... rules) {
    JsonObject body = JsonObject.builder().put(list, JsonValue.ofTexts(List.of(rules))).build();
    return api.call("POST", path + "/network/rules", body, Network::of);
  }

  /** The group that it is in, and who else is. */
  public Optional<SandboxGroup> group() {
    return fetchInfo().group().isEmpty()
        ? Optional.empty()
        : Optional.of(api.fetch(path + "/group", SandboxGroup::of));
  }

  /**
   * Puts it into a group, in place of the one that it is in; connections that are no longer within
   * a group are cut.
   *
   * @param ports such as {@code 5432} or {@code 8000-8099} that it offers to the others; none for
   *     all
   */
  public SandboxGroup joinGroup(String name, String... ports) {
    JsonObject body =
        JsonObject.builder()
            .put("name", name)
            .put("ports", JsonValue.ofTexts(List.of(ports)))
            .build();
    return api.call("PUT", path + "/group", body, SandboxGroup::of);
  }

  /** Takes it out of its group, if it is in one. */
  public void leaveGroup() {
    api.order(Request.of("DELETE", path + "/group"));
  }

  /** What it wanted to reach lately, and what became of it; the newest last. */
  public List<NetworkLogEntry> networkLog(int limit) {
    return api.fetch(path + "/network/log?limit=" + limit, items(NetworkLogEntry::of));
  }

  /** What would become of a connection to {@code host:port}, and why. */
  public NetworkExplanation explain(String destination) {
    return api.fetch(
        path + "/network/explain?destination=" + Api.encode(destination), NetworkExplanation::of);
  }

  /** What it waits to be allowed; see {@link Network#asking}. */
  public List<NetworkQuestion> networkQuestions() {
    return api.fetch(path + "/network/questions", items(NetworkQuestion::of));
  }

  /**
   * Answers a question.
   *
   * @throws CoveApiException with code {@code not_found} when it is no longer open
   */
  public void answer(String questionId, NetworkAnswer answer) {
    api.order(
        "POST",
        path + "/network/questions/" + Api.encode(questionId),
        JsonObject.builder().put("answer", answer.word()).build());
  }

  /** Which secrets go into what it sends. */
  public List<SecretBinding> secrets() {
    return api.fetch(path + "/secrets", items(SecretBinding::of));
  }

  /** Says anew which secrets go into what it sends. */
  public List<SecretBinding> setSecrets(List<SecretBinding> bindings) {
    var all = new JsonValue.Items(bindings.stream().<JsonValue>map(SecretBinding::toBody).toList());
    return api.call(
        "PUT",
        path + "/secrets",
        JsonObject.builder().put("items", all).build(),
        items(SecretBinding::of));
  }

  private static <T> Function<JsonObject, List<T>> items(Function<JsonObject, T> reader) {
    return json -> json.objects("items").stream().map(reader).toList();
  }

  /** Keeps its state as it is now; programs that run go on. */
  public Checkpoint checkpoint() {
    return checkpoint(JsonObject.builder().build());
  }

  /** Keeps its state as it is now under a name; programs that run go on. */
  public Checkpoint checkpoint(String name) {
    return checkpoint(JsonObject.builder().put("name", name).build());
  }

  private Checkpoint checkpoint(JsonObject body) {
    return callForState("/checkpoints", body, Checkpoint::of);
  }

  /** Its own checkpoints, the newest last. */
  public List<Checkpoint> checkpoints() {
    return api.fetch(path + "/checkpoints", Checkpoints::items);
  }

  /** When checkpoints of it come and go by themselves. */
  public CheckpointRules checkpointRules() {
    return api.fetch(path + "/checkpoint-rules", CheckpointRules::of);
  }

  public CheckpointRules setCheckpointRules(CheckpointRules rules) {
    return api.call("PUT", path + "/checkpoint-rules", rules.toBody(), CheckpointRules::of);
  }

  /**
   * Puts the state of a checkpoint in the place of its own.
   *
   * @return the id of a checkpoint of the state before; restoring that one undoes this
   */
  public String restore(String checkpointId) {
    return callForState(
        "/restore",
        JsonObject.builder().put("checkpoint", checkpointId).build(),
        json -> json.requireText("undo"));
  }

  /** Makes a sandbox that starts with the state of this one. Closing it deletes it. */
  public Sandbox fork() {
    return fork(1).getFirst().sandbox();
  }

  /** Makes so many sandboxes that start with the state of this one; each may fail by itself. */
  public List<Fork> fork(int count) {
    return callForState(
        "/fork", JsonObject.builder().put("count", count).build(), json -> forks(api, json));
  }

  static List<Fork> forks(Api api, JsonObject json) {
    List<Fork> forks = json.objects("items").stream().map(item -> forkOf(api, item)).toList();
    if (forks.isEmpty()) {
      throw new JsonShapeException("\"items\" is empty");
    }
    return forks;
  }

  private static Fork forkOf(Api api, JsonObject item) {
    if (item.find("problem").isEmpty()) {
      return new Fork.Made(new Sandbox(api, SandboxInfo.of(item.requireObject("sandbox")), true));
    }
    JsonObject problem = item.requireObject("problem");
    return new Fork.Failed(Api.problem(problem.requireInt("status"), problem));
  }

  private <T> T callForState(String verb, JsonObject body, Function<JsonObject, T> reader) {
    return api.call(
        Request.of("POST", path + verb)
            .body(Body.json(Json.write(body)))
            .readTimeout(STATE_TIMEOUT),
        reader);
  }

  /** Closing no longer deletes it. */
  public Sandbox detach() {
    owned = false;
    return this;
  }

  /** Deletes it for good, whatever the server keeps. */
  public void deleteNow() {
    api.order(Request.of("DELETE", path + "?grace=0"));
  }

  public void delete() {
    owned = false;
    api.order(Request.of("DELETE", path));
  }

  @Override
  public void close() {
    if (!owned) {
      return;
    }
    try {
      delete();
    } catch (CoveApiException e) {
      // Someone else deleted it, which is what was wanted.
      if (e.status() != 404) {
        throw e;
      }
    }
  }

  @Override
  public String toString() {
    return "Sandbox[" + info.id() + "]";
  }
}
