package dev.cove.engine.container;

import dev.cove.engine.Cage;
import dev.cove.engine.CagePlan;
import dev.cove.engine.RootFs;
import dev.cove.guest.GuestLink;
import dev.cove.model.Resources;
import dev.cove.model.SandboxId;
import dev.cove.testing.HostRoot;
import dev.cove.testing.HostTraces;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * The figures of the engine alone, without HTTP. Not a test: it prints, and runs only on request:
 *
 * <pre>mvn -q -pl engine-container -am test -Dtest=EngineMeasurements -Dcove.measure=true \
 *   -Dsurefire.failIfNoSpecifiedTests=false</pre>
 */
@EnabledIfSystemProperty(named = "cove.measure", matches = "true")
class EngineMeasurements {
  private static final int WARM_UP = 30;
  private static final int ROUNDS = 100;
  private static final int THOUSAND = Integer.getInteger("cove.measure.many", 1_000);
  private static final EngineSettings NO_POOLS = new EngineSettings(0, 0, true, true);
  private static final EngineSettings NETWORKS_ONLY = new EngineSettings(16, 0, true, true);
  private static final EngineSettings PLAIN_FOLDERS = new EngineSettings(16, 0, true, false);

  @TempDir Path folder;
  private RootFs root;

  @BeforeEach
  void makeRoot() throws IOException {
    root = HostRoot.in(folder.resolve("root"));
  }

  private ContainerEngine open(EngineSettings settings) throws InterruptedException {
    var engine =
        ContainerEngine.open(
            new EngineHome(folder.resolve("data"), folder.resolve("run")), settings);
    Thread.sleep(1_000); // the pools fill
    return engine;
  }

  private CagePlan plan() {
    return new CagePlan(SandboxId.random(), root, Resources.DEFAULT);
  }

  @Test
  void one_after_another() throws Exception {
    System.out.println("load " + Files.readString(Path.of("/proc/loadavg")).strip());
    oneAfterAnother("no pools", NO_POOLS);
    oneAfterAnother("network pool", NETWORKS_ONLY);
    oneAfterAnother("network and image pool", EngineSettings.DEFAULT);
    oneAfterAnother("network pool, plain folders", PLAIN_FOLDERS);
  }

  private void oneAfterAnother(String name, EngineSettings settings) throws Exception {
    var engine = open(settings);
    long[] starts = new long[ROUNDS];
    long[] hellos = new long[ROUNDS];
    long[] ends = new long[ROUNDS];
    for (int i = -WARM_UP; i < ROUNDS; i++) {
      long begin = System.nanoTime();
      var cage = engine.start(plan());
      long started = System.nanoTime();
      GuestLink.open(cage.connect(), Duration.ofSeconds(10)).close();
      long greeted = System.nanoTime();
      Thread.sleep(20);
      long ending = System.nanoTime();
      cage.destroy();
      if (i >= 0) {
        starts[i] = started - begin;
        hellos[i] = greeted - begin;
        ends[i] = System.nanoTime() - ending;
      }
    }
    engine.close();
    System.out.printf(
        "%-28s start %s   to hello %s   destroy %s%n",
        name, describe(starts), describe(hellos), describe(ends));
  }

  private static String describe(long[] nanos) {
    Arrays.sort(nanos);
    return "p50 %.2f p90 %.2f min %.2f ms"
        .formatted(
            nanos[nanos.length / 2] / 1e6, nanos[nanos.length * 9 / 10] / 1e6, nanos[0] / 1e6);
  }

  /** What a spawner per sandbox would add to every start. */
  @Test
  void one_shot_spawner() throws Exception {
    var engine = open(NO_POOLS);
    long[] starts = new long[ROUNDS];
    var nobody =
        new SpawnerProcess.Listener() {
          @Override
          public void exited(ProcessKey process, int status) {}

          @Override
          public void ended(boolean everWorked) {}
        };
    for (int i = -WARM_UP; i < ROUNDS; i++) {
      long begin = System.nanoTime();
      var spawner = SpawnerProcess.start(engine.spawnerCommand(), nobody);
      spawner.facts();
      if (i >= 0) {
        starts[i] = System.nanoTime() - begin;
      }
      spawner.close();
    }
    engine.close();
    System.out.println("start of a spawner alone: " + describe(starts));
  }

  @Test
  void fifty_cgroups() throws Exception {
    var cgroups = CgroupLayout.read().cgroups("cove-measure");
    cgroups.open();
    for (int round = 0; round < 8; round++) {
      var ids = new ArrayList<SandboxId>();
      for (int i = 0; i < 50; i++) {
        ids.add(SandboxId.random());
      }
      long begin = System.nanoTime();
      try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
        for (var id : ids) {
          threads.execute(() -> cgroups.create(id, Resources.DEFAULT));
        }
      }
      long made = System.nanoTime();
      ids.forEach(cgroups::remove);
      System.out.printf(
          "50 cgroups p50 made %.1f ms, removed %.1f ms%n",
          (made - begin) / 1e6, (System.nanoTime() - made) / 1e6);
    }
    cgroups.close();
  }

  @Test
  void fifty_at_once() throws Exception {
    var engine = open(EngineSettings.DEFAULT);
    for (int i = 0; i < WARM_UP; i++) {
      engine.start(plan()).destroy();
    }
    for (int round = 0; round < 5; round++) {
      Thread.sleep(500);
      long begin = System.nanoTime();
      var taken = new long[50];
      var cages = atOnce(engine, 50, 50, taken, begin);
      long all = System.nanoTime() - begin;
      long ending = System.nanoTime();
      destroyAll(cages, 50);
      System.out.printf(
          "50 at once: all in %.0f ms, each to hello %s max %.0f ms; all destroyed in %.0f ms%n",
          all / 1e6, describe(taken), taken[49] / 1e6, (System.nanoTime() - ending) / 1e6);
    }
    engine.close();
  }

  @Test
  void a_thousand() throws Exception {
    var engine = open(EngineSettings.DEFAULT);
    engine.start(plan()).destroy();
    long before = memoryAvailableKb();
    long begin = System.nanoTime();
    var cages = atOnce(engine, THOUSAND, 16, new long[THOUSAND], begin);
    double seconds = (System.nanoTime() - begin) / 1e9;
    Thread.sleep(2_000);
    long after = memoryAvailableKb();
    long ending = System.nanoTime();
    destroyAll(cages, 16);
    double down = (System.nanoTime() - ending) / 1e9;
    System.out.printf(
        "%d cages: up in %.2f s, %d KiB each, down in %.2f s%n",
        THOUSAND, seconds, (before - after) / THOUSAND, down);
    HostTraces.eventually("loop devices go", () -> loopsOfHome() <= 16);
    engine.close();
  }

  private long loopsOfHome() {
    try {
      return HostTraces.loopImages().stream().filter(i -> i.startsWith(folder.toString())).count();
    } catch (IOException e) {
      throw new AssertionError("The host could not be looked at", e);
    }
  }

  private List<Cage> atOnce(
      ContainerEngine engine, int count, int parallel, long[] taken, long begin) throws Exception {
    var gate = new Semaphore(parallel);
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Cage>> starts = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        int index = i;
        Callable<Cage> start =
            () -> {
              gate.acquire();
              try {
                var cage = engine.start(plan());
                GuestLink.open(cage.connect(), Duration.ofSeconds(30)).close();
                taken[index] = System.nanoTime() - begin;
                return cage;
              } finally {
                gate.release();
              }
            };
        starts.add(threads.submit(start));
      }
      var cages = new ArrayList<Cage>();
      for (var started : starts) {
        cages.add(started.get());
      }
      return cages;
    }
  }

  private static void destroyAll(List<Cage> cages, int parallel) throws Exception {
    var gate = new Semaphore(parallel);
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<?>> ends = new ArrayList<>();
      for (Cage cage : cages) {
        ends.add(
            threads.submit(() -> {
              gate.acquireUninterruptibly();
              cage.destroy();
              gate.release();
            }));
      }
      for (var end : ends) {
        end.get();
      }
    }
  }

  private static long memoryAvailableKb() throws IOException {
    for (String line : Files.readAllLines(Path.of("/proc/meminfo"))) {
      if (line.startsWith("MemAvailable:")) {
        return Long.parseLong(line.replaceAll("\\D", ""));
      }
    }
    throw new IOException("No MemAvailable in /proc/meminfo");
  }
}
