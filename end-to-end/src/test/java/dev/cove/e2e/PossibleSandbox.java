package dev.cove.e2e;

import dev.cove.sdk.CreateOptions;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * All the ways in which one sandbox may be, by what its client was promised: one way after each
 * answer, several where the server was killed before it answered.
 */
final class PossibleSandbox {
  static final String GONE = "gone";
  static final String RUNNING = "running";
  static final String PAUSED = "paused";
  static final String STOPPED = "stopped";

  private static final int HISTORY = 40;

  /**
   * One way that it may be.
   *
   * @param commands the numbers of commands that run; below zero for one whose number nobody was
   *     told
   */
  record World(String state, Map<String, String> files, Set<Long> commands) {
    static final World NONE = new World(GONE, Map.of(), Set.of());
    static final World FRESH = new World(RUNNING, Map.of(), Set.of());

    World in(String newState) {
      return new World(newState, files, commands);
    }

    /** Its memory is lost. */
    World without() {
      return new World(state, files, Set.of());
    }

    World awake() {
      return state.equals(STOPPED) ? in(RUNNING).without() : in(RUNNING);
    }

    World with(String path, String content) {
      var more = new HashMap<>(files);
      more.put(path, content);
      return new World(state, Map.copyOf(more), commands);
    }

    World with(long command) {
      var more = new HashSet<>(commands);
      more.add(command);
      return new World(state, files, Set.copyOf(more));
    }

    World named(long unknown, long command) {
      if (!commands.contains(unknown)) {
        return this;
      }
      var same = new HashSet<>(commands);
      same.remove(unknown);
      same.add(command);
      return new World(state, files, Set.copyOf(same));
    }

    boolean fits(Set<Long> running) {
      long known = commands.stream().filter(number -> number > 0).count();
      return running.size() == commands.size()
          && commands.stream().filter(running::contains).count() == known;
    }
  }

  private final String name;
  private Optional<String> id = Optional.empty();
  private Optional<CreateOptions> repeatable = Optional.empty();
  private Set<World> worlds;
  private long unknown;
  private boolean agentKilled;
  private boolean doomed;
  private boolean mayHaveChildren;
  private final Map<String, Set<Map<String, String>>> checkpoints = new HashMap<>();
  private final Deque<String> history = new ArrayDeque<>();

  PossibleSandbox(String name, World world) {
    this.name = name;
    this.worlds = Set.of(world);
  }

  synchronized String name() {
    return name;
  }

  synchronized Optional<String> id() {
    return id;
  }

  synchronized void identify(String newId) {
    id = Optional.of(newId);
  }

  /** What it is made by, however often that is asked for. */
  synchronized Optional<CreateOptions> repeatable() {
    return repeatable;
  }

  synchronized void repeatableBy(CreateOptions options) {
    repeatable = Optional.of(options);
  }

  /** The state, once it is known. */
  synchronized String state() {
    return worlds.iterator().next().state();
  }

  /**
   * Something is asked for: from now on until it is answered, it may have happened or not.
   *
   * @param between what it may be where it is cut short, beside what it was
   */
  synchronized void ask(String what, Function<World, Set<World>> between) {
    note(what);
    var all = new LinkedHashSet<>(worlds);
    worlds.forEach(world -> all.addAll(between.apply(world)));
    worlds = all;
  }

  /** What was asked for is done. */
  synchronized void answered(Set<World> before, Function<World, Set<World>> effect) {
    note("- done");
    var all = new LinkedHashSet<World>();
    before.forEach(world -> all.addAll(effect.apply(world)));
    worlds = all;
    if (agentKilled) {
      expectEnd(); // before or after this was done
    }
  }

  synchronized Set<World> worlds() {
    return Set.copyOf(worlds);
  }

  synchronized long nextUnknown() {
    return --unknown;
  }

  /** Whatever runs in it may have ended, and may have been woken since. */
  synchronized void agentKilled() {
    note("agent killed");
    agentKilled = true;
    expectEnd();
  }

  private void expectEnd() {
    var all = new LinkedHashSet<>(worlds);
    worlds.stream()
        .filter(world -> world.state().equals(RUNNING) || world.state().equals(PAUSED))
        .forEach(world -> {
          all.add(world.in(STOPPED).without());
          all.add(world.in(RUNNING).without());
        });
    worlds = all;
  }

  /** Its agent stands still and ends as soon as it goes on, whenever that is. */
  synchronized void doomed() {
    doomed = true;
  }

  synchronized boolean mayRefuse() {
    return agentKilled;
  }

  synchronized void expectChild() {
    mayHaveChildren = true;
  }

  synchronized boolean mayHaveChildren() {
    return mayHaveChildren;
  }

  synchronized void keepCheckpoint(String checkpoint, Set<World> at) {
    var files = new HashSet<Map<String, String>>();
    at.forEach(world -> files.add(world.files()));
    checkpoints.put(checkpoint, files);
  }

  synchronized void forgetCheckpoint(String checkpoint) {
    checkpoints.remove(checkpoint);
  }

  synchronized Map<String, Set<Map<String, String>>> checkpoints() {
    return Map.copyOf(checkpoints);
  }

  /**
   * Looks which of the possible ways it is.
   *
   * @return false when it is none of them
   */
  synchronized boolean collapse(String observation, Predicate<World> seen) {
    note("seen " + observation);
    List<World> fitting = worlds.stream().filter(seen).toList();
    if (fitting.isEmpty()) {
      return false;
    }
    worlds = new LinkedHashSet<>(fitting);
    return true;
  }

  /** Gives commands whose numbers nobody was told the numbers that they were found to have. */
  synchronized void resolveCommands(Set<Long> running) {
    var all = new LinkedHashSet<World>();
    worlds.forEach(world -> all.add(new World(world.state(), world.files(), Set.copyOf(running))));
    worlds = all;
  }

  /** A new round: nothing is under way. */
  synchronized void settle() {
    mayHaveChildren = false;
    agentKilled = doomed;
    if (doomed) {
      expectEnd();
    }
  }

  private void note(String what) {
    history.add(what);
    if (history.size() > HISTORY) {
      history.removeFirst();
    }
  }

  @Override
  public synchronized String toString() {
    var lines = new ArrayList<String>();
    lines.add("%s %s, possible: ".formatted(name, id.orElse("(no id)")));
    worlds.forEach(world -> {
      var files = new HashMap<String, String>();
      world.files().forEach((path, text) -> files.put(path, shortened(text)));
      lines.add("  %s %s %s".formatted(world.state(), files, world.commands()));
    });
    lines.add("  history: " + String.join(" ", history));
    return String.join("\n", lines);
  }

  static String shortened(String text) {
    return text.length() < 24 ? text : text.substring(0, 20) + "… of " + text.length();
  }
}
