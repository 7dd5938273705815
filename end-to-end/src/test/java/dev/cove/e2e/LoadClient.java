package dev.cove.e2e;

import static dev.cove.e2e.PossibleSandbox.GONE;
import static dev.cove.e2e.PossibleSandbox.PAUSED;
import static dev.cove.e2e.PossibleSandbox.RUNNING;
import static dev.cove.e2e.PossibleSandbox.STOPPED;

import dev.cove.e2e.PossibleSandbox.World;
import dev.cove.sdk.Command;
import dev.cove.sdk.Cove;
import dev.cove.sdk.CoveApiException;
import dev.cove.sdk.CoveConnectionException;
import dev.cove.sdk.CreateOptions;
import dev.cove.sdk.Sandbox;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

/** Does this and that with sandboxes of its own, and remembers what it was promised. */
final class LoadClient {
  static final Command TICKING =
      Command.shell("i=0; while :; do i=$((i+1)); echo $i; sleep 0.3; done");

  private static final int MAX_SANDBOXES = 4;
  private static final int MAX_COMMANDS = 2;
  private static final int MAX_CHECKPOINTS = 2;
  private static final int INTERNAL = 500;

  private final String prefix;
  private final String keyPrefix;
  private final Random random;
  private final List<PossibleSandbox> sandboxes = new CopyOnWriteArrayList<>();
  private final List<String> complaints = new CopyOnWriteArrayList<>();
  private final Set<String> outlived = ConcurrentHashMap.newKeySet();
  private int counter;
  private int acknowledged;

  LoadClient(int number, long seed) {
    this.prefix = "client" + number + "-";
    this.keyPrefix = "%sof-%d-".formatted(prefix, seed);
    this.random = new Random(seed * 31 + number);
  }

  List<PossibleSandbox> sandboxes() {
    return sandboxes;
  }

  /** Answers that nobody should have been given. */
  List<String> complaints() {
    return complaints;
  }

  int acknowledged() {
    return acknowledged;
  }

  /**
   * Goes on until the server hangs up or it is told to stop.
   *
   * @param troubled whether a part of the server was killed, so that it may refuse
   */
  void run(Cove cove, AtomicBoolean stop, AtomicBoolean troubled) {
    while (!stop.get()) {
      PossibleSandbox box = choose();
      try {
        step(cove, box);
        acknowledged++;
      } catch (CoveConnectionException e) {
        return; // the server was killed under us, which is what this is about
      } catch (CoveApiException e) {
        boolean expected = e.status() != INTERNAL && (troubled.get() || box.mayRefuse());
        if (!expected) {
          complaints.add(
              "%s was answered %d %s: %s".formatted(box, e.status(), e.code(), e.detail()));
        }
        return; // what it is now is looked up before the next round
      }
      forgetIfGone(box);
    }
  }

  void forgetIfGone(PossibleSandbox box) {
    if (box.state().equals(GONE)) {
      sandboxes.remove(box);
      outlived.addAll(box.checkpoints().keySet());
    }
  }

  /** Checkpoints of sandboxes that are gone. */
  Set<String> outlived() {
    return outlived;
  }

  private PossibleSandbox choose() {
    if (sandboxes.isEmpty() || (sandboxes.size() < MAX_SANDBOXES && random.nextInt(4) == 0)) {
      var fresh = new PossibleSandbox(freeName(), World.NONE);
      sandboxes.add(fresh);
      return fresh;
    }
    return sandboxes.get(random.nextInt(sandboxes.size()));
  }

  /** Few names, so that each is used again and again. */
  private String freeName() {
    for (int i = 0; ; i++) {
      String name = prefix + i;
      if (sandboxes.stream().noneMatch(box -> box.name().equals(name))) {
        return name;
      }
    }
  }

  private void step(Cove cove, PossibleSandbox box) {
    if (box.state().equals(GONE)) {
      create(cove, box);
      return;
    }
    Sandbox sandbox = cove.sandboxes().require(box.id().orElseThrow());
    switch (box.state()) {
      case STOPPED -> {
        switch (random.nextInt(6)) {
          case 0 -> checkpoint(box, sandbox);
          case 1 -> delete(box, sandbox);
          default -> done(box, "start", World::awake, sandbox::start);
        }
      }
      case PAUSED -> {
        switch (random.nextInt(6)) {
          case 0 -> checkpoint(box, sandbox);
          case 1 -> stop(box, sandbox);
          case 2 -> delete(box, sandbox);
          case 3 -> write(box, sandbox);
          default -> done(box, "resume", World::awake, sandbox::resume);
        }
      }
      default -> stepRunning(cove, box, sandbox);
    }
  }

  private void stepRunning(Cove cove, PossibleSandbox box, Sandbox sandbox) {
    switch (random.nextInt(16)) {
      case 0, 1, 2 -> write(box, sandbox);
      case 3, 4 -> spawn(box, sandbox);
      case 5, 6 ->
          done(box, "exec", World::awake, () -> require(sandbox.exec("echo", "x").stdout()));
      case 7 -> done(box, "pause", world -> world.in(PAUSED), sandbox::pause);
      case 8 -> stop(box, sandbox);
      case 9, 10 -> checkpoint(box, sandbox);
      case 11 -> restoreOrForgetOne(cove, box, sandbox);
      case 12 -> fork(box, sandbox);
      default -> delete(box, sandbox);
    }
  }

  private static void require(String output) {
    if (!output.equals("x\n")) {
      throw new AssertionError("echo said " + output);
    }
  }

  /** Something that has happened or has not. */
  private void done(
      PossibleSandbox box, String what, Function<World, World> effect, Runnable call) {
    Set<World> before = box.worlds();
    box.ask(what, world -> Set.of(effect.apply(world)));
    call.run();
    box.answered(before, world -> Set.of(effect.apply(world)));
  }

  private void create(Cove cove, PossibleSandbox box) {
    CreateOptions options = CreateOptions.defaults().name(box.name());
    if (random.nextInt(3) == 0) {
      options = options.diskMb(64); // not from the pool
    }
    if (random.nextBoolean()) {
      options = options.idempotencyKey(keyPrefix + counter++);
      box.repeatableBy(options);
    }
    CreateOptions wanted = options;
    done(
        box,
        "create",
        _ -> World.FRESH,
        () -> box.identify(cove.sandboxes().create(wanted).detach().id()));
  }

  private void write(PossibleSandbox box, Sandbox sandbox) {
    String path = "/home/user/f" + random.nextInt(3);
    String word = prefix + counter++ + " ";
    String content = word.repeat(random.nextInt(10) == 0 ? 20_000 : 1 + random.nextInt(50));
    Set<World> before = box.worlds();
    Function<World, World> effect = world -> world.awake().with(path, content);
    box.ask("write " + path, world -> union(world.awake(), effect.apply(world)));
    sandbox.files().write(path, content);
    box.answered(before, world -> Set.of(effect.apply(world)));
  }

  private void spawn(PossibleSandbox box, Sandbox sandbox) {
    if (box.worlds().stream().anyMatch(world -> world.commands().size() >= MAX_COMMANDS)) {
      return;
    }
    long unknown = box.nextUnknown();
    Set<World> before = box.worlds();
    box.ask("spawn", world -> union(world.awake(), world.awake().with(unknown)));
    long number = sandbox.spawn(TICKING).processId();
    box.answered(before, world -> Set.of(world.awake().with(number)));
  }

  private void stop(PossibleSandbox box, Sandbox sandbox) {
    done(
        box,
        "stop",
        world -> world.in(STOPPED).without(),
        () -> sandbox.stop(Duration.ofMillis(random.nextInt(200)), random.nextBoolean()));
  }

  private void delete(PossibleSandbox box, Sandbox sandbox) {
    done(box, "delete", _ -> World.NONE, sandbox::delete);
  }

  private void checkpoint(PossibleSandbox box, Sandbox sandbox) {
    if (box.checkpoints().size() >= MAX_CHECKPOINTS) {
      return;
    }
    done(
        box,
        "checkpoint",
        world -> world,
        () -> box.keepCheckpoint(sandbox.checkpoint().id(), box.worlds()));
  }

  private void restoreOrForgetOne(Cove cove, PossibleSandbox box, Sandbox sandbox) {
    var all = List.copyOf(box.checkpoints().entrySet());
    if (all.isEmpty()) {
      return;
    }
    var chosen = all.get(random.nextInt(all.size()));
    String checkpoint = chosen.getKey();
    if (random.nextInt(3) == 0) {
      box.forgetCheckpoint(checkpoint); // it may be there or not from now on
      box.ask("forget " + checkpoint + " " + chosen.getValue().size(), Set::of);
      cove.checkpoints().delete(checkpoint);
      return;
    }
    Set<World> before = box.worlds();
    Function<World, Set<World>> effect =
        _ -> {
          var some = new LinkedHashSet<World>();
          chosen.getValue().forEach(files -> some.add(new World(RUNNING, files, Set.of())));
          return some;
        };
    box.ask(
        "restore " + checkpoint,
        world -> {
          var some = new LinkedHashSet<>(effect.apply(world));
          some.add(world.awake());
          some.add(world.awake().without()); // it was ended and is built again as it was
          return some;
        });
    String undo = sandbox.restore(checkpoint);
    box.answered(before, effect);
    cove.checkpoints().delete(undo);
  }

  private void fork(PossibleSandbox box, Sandbox sandbox) {
    if (sandboxes.size() >= MAX_SANDBOXES) {
      return;
    }
    box.expectChild();
    Set<World> before = box.worlds();
    box.ask("fork", Set::of);
    String child = sandbox.fork().detach().id();
    var first = new PossibleSandbox(child, World.FRESH);
    first.identify(child);
    first.answered(before, world -> Set.of(world.in(RUNNING).without()));
    sandboxes.add(first);
  }

  private static Set<World> union(World one, World other) {
    return new LinkedHashSet<>(List.of(one, other));
  }
}
