package dev.cove.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.e2e.PossibleSandbox.World;
import dev.cove.sdk.Checkpoint;
import dev.cove.sdk.Cove;
import dev.cove.sdk.ProcessInfo;
import dev.cove.sdk.RunningCommand;
import dev.cove.sdk.Sandbox;
import dev.cove.sdk.SandboxInfo;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;

/** Lets clients work, kills something, and compares what there is with what was promised. */
final class KillRounds implements AutoCloseable {
  private static final int CLIENTS = 4;
  private static final int MOST_MILLIS = 900;
  private static final Duration END = Duration.ofSeconds(2);
  private static final Duration SETTLE = Duration.ofSeconds(60);

  private final RunningServer server;
  private final long seed;
  private final Random random;
  private final List<LoadClient> clients;
  private int round;
  private String killed = "nothing";

  KillRounds(RunningServer server, long seed) {
    this.server = server;
    this.seed = seed;
    this.random = new Random(seed);
    this.clients =
        IntStream.range(0, CLIENTS).mapToObj(number -> new LoadClient(number, seed)).toList();
  }

  int acknowledged() {
    return clients.stream().mapToInt(LoadClient::acknowledged).sum();
  }

  /** One kill, and all that must hold afterwards. */
  void next(int number) throws Exception {
    round = number;
    var stop = new AtomicBoolean();
    var troubled = new AtomicBoolean();
    Cove cove = server.cove();
    List<Thread> working =
        clients.stream()
            .map(client -> Thread.ofVirtual().start(() -> client.run(cove, stop, troubled)))
            .toList();
    Thread.sleep(random.nextInt(MOST_MILLIS)); // any moment will do
    boolean serverKilled = killSomething(troubled);
    if (!serverKilled) {
      Thread.sleep(random.nextInt(MOST_MILLIS));
      stop.set(true);
    }
    for (Thread client : working) {
      client.join();
    }
    if (serverKilled) {
      server.start();
    }
    List<String> complaints =
        clients.stream().flatMap(client -> client.complaints().stream()).toList();
    assertThat(complaints).as(told("answers")).isEmpty();
    compare();
    if (serverKilled) {
      Awaitility.await(told("home and lists to fit together"))
          .atMost(SETTLE)
          .untilAsserted(() -> assertThat(HomeAudit.faultsWithRest(server)).isEmpty());
    }
    lookAtCheckpoints();
    clients.forEach(client -> client.sandboxes().forEach(PossibleSandbox::settle));
  }

  private String told(String what) {
    return "%s in round %d after the kill of %s, -Dcove.kills.seed=%d"
        .formatted(what, round, killed, seed);
  }

  /**
   * @return whether it was the server
   */
  private boolean killSomething(AtomicBoolean troubled) throws Exception {
    int victim = random.nextInt(10);
    List<PossibleSandbox> known =
        clients.stream().flatMap(client -> client.sandboxes().stream()).toList();
    if (victim == 0) {
      killed = "the spawner";
      troubled.set(true);
      HostProcesses.signal(HostProcesses.spawnerOf(server.pid()), "KILL");
      return false;
    }
    if (victim <= 2 && !known.isEmpty()) {
      PossibleSandbox box = known.get(random.nextInt(known.size()));
      List<Long> agents = box.id().map(HostProcesses::agentsOf).orElse(List.of());
      if (!agents.isEmpty()) {
        killed = "the agent of " + box.id().orElseThrow();
        box.agentKilled();
        if (!ended(agents.getFirst())) {
          box.doomed();
        }
        return false;
      }
    }
    killed = "the server";
    server.kill();
    return true;
  }

  /** One that is frozen does not end before it is thawed. */
  private static boolean ended(long agent) {
    ProcessHandle.of(agent).ifPresent(ProcessHandle::destroyForcibly);
    try {
      Awaitility.await().atMost(END).until(() -> !HostProcesses.isRunning(agent));
      return true;
    } catch (ConditionTimeoutException e) {
      return false;
    }
  }

  /** Each sandbox is there in one of the ways in which it may be, and there is no other. */
  private void compare() throws Exception {
    Cove cove = server.cove();
    Map<String, SandboxInfo> listed =
        cove.sandboxes().list().stream()
            .collect(Collectors.toMap(SandboxInfo::id, info -> info, (a, _) -> a, HashMap::new));
    Set<String> parents = new HashSet<>();
    for (LoadClient client : clients) {
      for (PossibleSandbox box : client.sandboxes()) {
        repeatCreate(cove, box, listed);
        findOf(box, listed).ifPresent(info -> box.identify(info.id()));
        if (box.mayHaveChildren()) {
          box.id().ifPresent(parents::add);
        }
        box.id().ifPresent(listed::remove);
      }
    }
    for (SandboxInfo stray : listed.values()) {
      assertThat(parents)
          .as(told("the parent of %s, which nobody was promised".formatted(stray)))
          .contains(stray.parent().orElse("none"));
      cove.sandboxes().delete(stray.id()); // a child of a fork that nobody was told of
    }
    AtOnce.times(
        CLIENTS,
        i -> {
          for (PossibleSandbox box : clients.get(i).sandboxes()) {
            compare(cove, clients.get(i), box);
          }
          return i;
        });
  }

  private static Optional<SandboxInfo> findOf(
      PossibleSandbox box, Map<String, SandboxInfo> listed) {
    if (box.id().isPresent()) {
      return Optional.ofNullable(listed.get(box.id().get()));
    }
    return listed.values().stream().filter(info -> info.name().equals(box.name())).findFirst();
  }

  /** Who was not told whether a sandbox was made may ask again, and gets the same one. */
  private void repeatCreate(Cove cove, PossibleSandbox box, Map<String, SandboxInfo> listed) {
    if (box.id().isPresent() || box.repeatable().isEmpty()) {
      return;
    }
    Optional<String> made = findOf(box, listed).map(SandboxInfo::id);
    Sandbox same = cove.sandboxes().create(box.repeatable().get()).detach();
    assertThat(same.id())
        .as(told("what a repeated create finds"))
        .isEqualTo(made.orElse(same.id()));
    listed.put(same.id(), same.info());
  }

  private void compare(Cove cove, LoadClient client, PossibleSandbox box) throws Exception {
    if (box.mayRefuse()) {
      awaitAnswer(cove, box);
    }
    Optional<Sandbox> found = box.id().flatMap(cove.sandboxes()::find);
    String state = found.map(sandbox -> sandbox.info().state()).orElse(PossibleSandbox.GONE);
    collapse(
        box,
        state + found.flatMap(sandbox -> sandbox.info().reason()),
        world -> world.state().equals(state));
    if (found.isEmpty()) {
      client.forgetIfGone(box);
      return;
    }
    if (state.equals(PossibleSandbox.RUNNING)) {
      lookInto(found.get(), box);
    }
  }

  /** Its server may only just have noticed. */
  private void awaitAnswer(Cove cove, PossibleSandbox box) {
    Awaitility.await(told("an answer of " + box))
        .atMost(SETTLE)
        .ignoreExceptions()
        .until(() -> {
          Optional<Sandbox> found = box.id().flatMap(cove.sandboxes()::find);
          if (found.isPresent() && found.get().info().state().equals(PossibleSandbox.RUNNING)) {
            found.get().processes();
          }
          return true;
        });
  }

  private void lookInto(Sandbox sandbox, PossibleSandbox box) throws IOException {
    Set<Long> running =
        sandbox.processes().stream()
            .filter(ProcessInfo::running)
            .map(ProcessInfo::processId)
            .collect(Collectors.toSet());
    collapse(box, "commands " + running, world -> world.fits(running));
    box.resolveCommands(running);
    for (String path : paths(box.worlds())) {
      String content = sandbox.files().exists(path) ? sandbox.files().readString(path) : "";
      collapse(
          box,
          path + " = " + PossibleSandbox.shortened(content),
          world -> world.files().getOrDefault(path, "").equals(content));
    }
    for (long command : running) {
      requireTicking(sandbox, command, box);
    }
  }

  private static Set<String> paths(Set<World> worlds) {
    return worlds.stream()
        .flatMap(world -> world.files().keySet().stream())
        .collect(Collectors.toSet());
  }

  private void collapse(PossibleSandbox box, String observation, Predicate<World> seen) {
    String before = box.toString();
    assertThat(box.collapse(observation, seen))
        .as(told("%s is possible for %s".formatted(observation, before)))
        .isTrue();
  }

  /** Its output is there from the beginning, and it goes on. */
  private void requireTicking(Sandbox sandbox, long command, PossibleSandbox box)
      throws IOException {
    try (RunningCommand attached = sandbox.attach(command)) {
      var ticks =
          new BufferedReader(new InputStreamReader(attached.stdout(), StandardCharsets.UTF_8));
      assertThat(ticks.readLine()).as(told("the first output of " + box)).isEqualTo("1");
      assertThat(ticks.readLine()).as(told("the output of " + box)).isEqualTo("2");
    }
  }

  /** Those that were promised are there and whole; others are removed, so that they do not pile. */
  private void lookAtCheckpoints() {
    Cove cove = server.cove();
    Set<String> listed =
        cove.checkpoints().list().stream().map(Checkpoint::id).collect(Collectors.toSet());
    var promised = new HashMap<String, Set<Map<String, String>>>();
    for (LoadClient client : clients) {
      client.sandboxes().forEach(box -> promised.putAll(box.checkpoints()));
      assertThat(listed).as(told("checkpoints that outlive")).containsAll(client.outlived());
      client.outlived().clear();
    }
    assertThat(listed).as(told("checkpoints")).containsAll(promised.keySet());
    listed.stream().filter(id -> !promised.containsKey(id)).forEach(cove.checkpoints()::delete);
    List<String> all = new ArrayList<>(promised.keySet());
    if (!all.isEmpty()) {
      String one = all.get(random.nextInt(all.size()));
      var files = new HashMap<String, String>();
      for (String path : List.of("/home/user/f0", "/home/user/f1", "/home/user/f2")) {
        if (cove.checkpoints().files(one).exists(path)) {
          files.put(path, cove.checkpoints().files(one).readString(path));
        }
      }
      assertThat(promised.get(one)).as(told("files of checkpoint " + one)).contains(files);
    }
  }

  @Override
  public void close() {
    if (server.isAlive()) {
      Cove cove = server.cove();
      cove.checkpoints().list().forEach(one -> cove.checkpoints().delete(one.id()));
    }
  }
}
