package dev.cove.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.model.crash.FailPoint;
import dev.cove.sdk.Command;
import dev.cove.sdk.CoveException;
import dev.cove.sdk.CreateOptions;
import dev.cove.sdk.Sandbox;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The server ends between any two durable steps of a sandbox's way to rest, back and away. */
class RestFailPointsTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String FILE = "/home/user/state";
  private static final String NAME = "subject";

  @RegisterExtension
  static final RunningServer server = RunningServer.with(Map.of("COVE_POOL_SIZE", "0"));

  /** What is done, from which state to which, and where the server can end on the way. */
  @SuppressWarnings("ImmutableEnumChecker") // references to methods, and lists that nobody changes
  enum Way {
    PAUSE("running", "paused", Sandbox::pause, FailPoint.PAUSE_RECORDED, FailPoint.PAUSE_FROZEN),
    RESUME(
        "paused", "running", Sandbox::resume, FailPoint.RESUME_RECORDED, FailPoint.RESUME_THAWED),
    STOP(
        "running",
        "stopped",
        Sandbox::stop,
        FailPoint.STOP_RECORDED,
        FailPoint.STOP_ASKED,
        FailPoint.HALT_ENDED,
        FailPoint.CAGE_COUNTED,
        FailPoint.HALT_SETTLED,
        FailPoint.STOP_HALTED),
    START("stopped", "running", Sandbox::start, FailPoint.START_BUILT, FailPoint.START_SERVED),
    DELETE(
        "running",
        "gone",
        Sandbox::delete,
        FailPoint.DELETE_RECORDED,
        FailPoint.CAGE_ENDED,
        FailPoint.CAGE_UNLIMITED,
        FailPoint.CAGE_REMOVED,
        FailPoint.DELETE_TAKEN_APART,
        FailPoint.DELETE_FORGOTTEN);

    private final String from;
    private final String to;
    private final Consumer<Sandbox> verb;
    private final List<FailPoint> points;

    Way(String from, String to, Consumer<Sandbox> verb, FailPoint... points) {
      this.from = from;
      this.to = to;
      this.verb = verb;
      this.points = List.of(points);
    }
  }

  private static final Set<FailPoint> OF_THE_KEPT =
      EnumSet.of(FailPoint.DISCARD_RECORDED, FailPoint.DISCARD_HALTED, FailPoint.UNDELETE_RECORDED);

  /** All that are dealt with here. */
  static Set<FailPoint> points() {
    var all = EnumSet.copyOf(HostRestartTest.POINTS);
    all.addAll(OF_THE_KEPT);
    Arrays.stream(Way.values()).forEach(way -> all.addAll(way.points));
    return all;
  }

  /** An end of the server on a way. */
  record Crash(Way way, FailPoint point) {}

  static Stream<Crash> crashes() {
    return Arrays.stream(Way.values())
        .flatMap(way -> way.points.stream().map(point -> new Crash(way, point)));
  }

  /** One of each way, for every run. */
  static Stream<Crash> some() {
    return Arrays.stream(Way.values()).map(way -> new Crash(way, way.points.getFirst()));
  }

  @ParameterizedTest
  @MethodSource("some")
  void nothing_is_lost_where_the_row_is_ahead_of_the_world(Crash crash) throws Exception {
    crashAndCheck(crash);
  }

  @Tag("long")
  @ParameterizedTest
  @MethodSource("crashes")
  void nothing_is_lost_nothing_is_half_and_nothing_is_left(Crash crash) throws Exception {
    crashAndCheck(crash);
  }

  /** One failure is not to be followed by others. */
  @AfterEach
  void removeWhatIsLeft() throws Exception {
    if (!server.isAlive()) {
      server.start();
    }
    server.cove().sandboxes().list().forEach(box -> server.cove().sandboxes().delete(box.id()));
  }

  private static void crashAndCheck(Crash crash) throws Exception {
    Way way = crash.way();
    Sandbox before = prepared(way);
    boolean acknowledged = crash(crash.point().name(), box -> way.verb.accept(box));

    Optional<Sandbox> after = server.cove().sandboxes().find(NAME);
    String state = after.map(box -> box.info().state()).orElse("gone");
    assertThat(state).isIn(acknowledged ? Set.of(way.to) : Set.of(way.from, way.to));
    if (after.isPresent()) {
      assertThat(after.get().id()).isEqualTo(before.id());
      after.get().start();
      assertThat(after.get().files().readString(FILE)).isEqualTo("state of " + before.id());
    }
    Awaitility.await("home and lists to fit together")
        .atMost(PATIENCE)
        .untilAsserted(() -> assertThat(HomeAudit.faultsOf(server)).isEmpty());

    Sandbox again = after.isPresent() ? after.get() : prepared(Way.DELETE);
    bring(again, way.from);
    way.verb.accept(again);
    if (way != Way.DELETE) {
      assertThat(again.fetchInfo().state()).isEqualTo(way.to);
      again.delete();
    }
  }

  private static Sandbox prepared(Way way) {
    Sandbox box = server.create(CreateOptions.defaults().name(NAME).diskMb(64)).detach();
    box.files().write(FILE, "state of " + box.id());
    box.spawn(Command.of("sleep", "6000"));
    bring(box, way.from);
    return box;
  }

  private static void bring(Sandbox box, String state) {
    switch (state) {
      case "paused" -> box.pause();
      case "stopped" -> box.stop();
      default -> box.start();
    }
  }

  /**
   * Lets the server end at a point, and starts it again.
   *
   * @return whether the caller was told that it was done
   */
  private static boolean crash(String point, Consumer<Sandbox> work) throws Exception {
    server.kill();
    server.startArmed(point);
    boolean acknowledged = false;
    try {
      work.accept(server.cove().sandboxes().require(NAME));
      acknowledged = true;
    } catch (CoveException e) {
      assertThat(e).as("the server has ended").isNotNull();
    }
    var status = server.awaitEnd(PATIENCE);
    if (status.isEmpty()) {
      server.kill();
    }
    assertThat(status).as("%s is reached", point).hasValue(FailPoint.EXIT_CODE);
    server.start();
    return acknowledged;
  }

  @Test
  void a_deletion_that_is_kept_can_be_taken_back_wherever_the_server_ends() throws Exception {
    Sandbox box = prepared(Way.DELETE);
    for (FailPoint point : OF_THE_KEPT) {
      boolean back = point == FailPoint.UNDELETE_RECORDED;
      if (back) {
        server.cove().sandboxes().delete(box.id(), Duration.ofHours(1));
      }
      server.kill();
      server.startArmed(point.name());
      try {
        if (back) {
          server.cove().sandboxes().undelete(NAME);
        } else {
          server.cove().sandboxes().delete(NAME, Duration.ofHours(1));
        }
      } catch (CoveException e) {
        assertThat(e).as("the server has ended").isNotNull();
      }
      assertThat(server.awaitEnd(PATIENCE)).as("%s", point).hasValue(FailPoint.EXIT_CODE);
      server.start();
      var boxes = server.cove().sandboxes();
      assertThat(boxes.listDeleted()).hasSize(back ? 0 : 1);
      if (!back) {
        boxes.undelete(NAME);
      }
      assertThat(boxes.require(NAME).info().reason()).contains("undeleted");
      assertThat(boxes.require(NAME).files().readString(FILE)).isEqualTo("state of " + box.id());
      Awaitility.await("home and lists to fit together")
          .atMost(PATIENCE)
          .untilAsserted(() -> assertThat(HomeAudit.faultsOf(server)).isEmpty());
    }
    server.cove().sandboxes().delete(NAME);
  }
}
