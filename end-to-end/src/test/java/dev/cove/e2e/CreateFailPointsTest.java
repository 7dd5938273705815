package dev.cove.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.model.crash.FailPoint;
import dev.cove.sdk.Command;
import dev.cove.sdk.Cove;
import dev.cove.sdk.CoveException;
import dev.cove.sdk.CreateOptions;
import dev.cove.sdk.Network;
import dev.cove.sdk.ProcessInfo;
import dev.cove.sdk.Sandbox;
import dev.cove.sdk.SandboxInfo;
import dev.cove.sdk.TemplateBuild;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The server ends between any two steps in which a sandbox comes into being. */
class CreateFailPointsTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String NAME = "subject";
  private static final String WITNESS = "witness";
  private static final String SERVED = "served";
  private static final int OWN_SIZE_MB = 64;

  /** Built for whoever asks. */
  @RegisterExtension
  static final RunningServer cold = RunningServer.with(Map.of("COVE_POOL_SIZE", "0"));

  /** Built before anybody asked. */
  @RegisterExtension
  static final RunningServer warm = RunningServer.with(Map.of("COVE_POOL_SIZE", "2"));

  /** What is asked for, and where the server can end on the way. */
  @SuppressWarnings("ImmutableEnumChecker") // lists that nobody changes
  enum Way {
    COLD(
        FailPoint.CREATE_RECORDED,
        FailPoint.CAGE_RECORDED,
        FailPoint.CAGE_LIMITED,
        FailPoint.CAGE_STARTED,
        FailPoint.CAGE_WRITTEN_DOWN,
        FailPoint.NETWORK_OPENED,
        FailPoint.CAGE_LINKED,
        FailPoint.CREATE_STARTED,
        FailPoint.CREATE_ENTERED),
    /** The first one of a home. */
    FIRST(FailPoint.IDS_CLAIMED),
    /** A template's start command is part of the promise. */
    WITH_SERVICE(FailPoint.CREATE_STARTED, FailPoint.CREATE_ENTERED, FailPoint.CREATE_SERVED),
    WARM(
        FailPoint.WARM_CAGE_FITTED,
        FailPoint.WARM_CAGE_TAKEN,
        FailPoint.CREATE_RECORDED,
        FailPoint.CREATE_STARTED,
        FailPoint.CREATE_ENTERED);

    private final List<FailPoint> points;

    Way(FailPoint... points) {
      this.points = List.of(points);
    }

    RunningServer server() {
      return this == WARM ? warm : cold;
    }

    CreateOptions options() {
      CreateOptions options = CreateOptions.defaults().name(NAME);
      return switch (this) {
        case COLD, FIRST -> options.diskMb(OWN_SIZE_MB);
        case WITH_SERVICE -> options.template(SERVED);
        case WARM -> options.cpus(0.5);
      };
    }
  }

  private static final Set<FailPoint> OF_CHANGES =
      EnumSet.of(FailPoint.NETWORK_TRUSTED, FailPoint.NETWORK_RECORDED, FailPoint.WARM_CAGE_BUILT);

  /** All that are dealt with here. */
  static Set<FailPoint> points() {
    var all = EnumSet.copyOf(OF_CHANGES);
    Arrays.stream(Way.values()).forEach(way -> all.addAll(way.points));
    return all;
  }

  /** An end of the server on a way. */
  record Crash(Way way, FailPoint point) {
    /** The sandbox that was there before gets its network and its link as well. */
    String setting() {
      boolean second = point == FailPoint.NETWORK_OPENED || point == FailPoint.CAGE_LINKED;
      return point + (second ? ":2" : "");
    }
  }

  static Stream<Crash> crashes() {
    return Arrays.stream(Way.values())
        .flatMap(way -> way.points.stream().map(point -> new Crash(way, point)));
  }

  /** Where most is half done, for every run. */
  static Stream<Crash> some() {
    return Stream.of(
        new Crash(Way.COLD, FailPoint.CAGE_STARTED),
        new Crash(Way.WITH_SERVICE, FailPoint.CREATE_SERVED),
        new Crash(Way.WARM, FailPoint.WARM_CAGE_TAKEN));
  }

  @BeforeAll
  static void makeTemplate() {
    cold.cove().templates().build(TemplateBuild.from("host").name(SERVED).start("sleep", "6000"));
  }

  /** One failure is not to be followed by others. */
  @AfterEach
  void removeWhatIsLeft() throws Exception {
    for (RunningServer server : List.of(cold, warm)) {
      if (!server.isAlive()) {
        server.start();
      }
      server.cove().sandboxes().list().forEach(box -> server.cove().sandboxes().delete(box.id()));
    }
  }

  @Test
  void there_is_a_crash_for_every_point_of_sandboxes_networks_and_pools() {
    Set<String> families =
        Set.of(
            "CREATE", "IDS", "CAGE", "NETWORK", "WARM", "PAUSE", "RESUME", "STOP", "HALT", "START",
            "DELETE");
    var wanted =
        Arrays.stream(FailPoint.values())
            .filter(point -> families.contains(point.name().replaceFirst("_.*", "")))
            .collect(Collectors.toCollection(() -> EnumSet.noneOf(FailPoint.class)));
    wanted.removeAll(points());
    wanted.removeAll(RestFailPointsTest.points());
    assertThat(wanted).as("fail points in which no test ends the server").isEmpty();
  }

  @ParameterizedTest
  @MethodSource("some")
  void a_create_is_done_or_never_was_and_can_be_repeated(Crash crash) throws Exception {
    crashAndCheck(crash);
  }

  @Tag("long")
  @ParameterizedTest
  @MethodSource("crashes")
  void a_create_is_done_or_never_was_wherever_the_server_ends(Crash crash) throws Exception {
    crashAndCheck(crash);
  }

  private static void crashAndCheck(Crash crash) throws Exception {
    RunningServer server = crash.way().server();
    CreateOptions wanted = crash.way().options().idempotencyKey(UUID.randomUUID().toString());
    if (crash.way() == Way.FIRST) {
      server.stop(); // in order: ids are given back, and must be claimed anew
    } else {
      server.create(CreateOptions.defaults().name(WITNESS)).detach();
      server.kill();
    }
    Optional<String> acknowledged =
        crash(server, crash.setting(), cove -> cove.sandboxes().create(wanted).detach().id());

    Optional<String> found = server.cove().sandboxes().find(NAME).map(Sandbox::id);
    acknowledged.ifPresent(id -> assertThat(found).contains(id));
    assertNothingIsLeft(server);
    Sandbox repeated = server.create(wanted).detach();
    found.ifPresent(id -> assertThat(repeated.id()).as("not made twice").isEqualTo(id));
    assertWorks(repeated, crash.way());
    if (crash.way() != Way.FIRST) {
      assertThat(server.cove().sandboxes().require(WITNESS).exec("true").exitCode()).isZero();
    }
    repeated.delete();
    try (Sandbox again = server.create(crash.way().options())) {
      assertWorks(again, crash.way());
    }
    assertNothingIsLeft(server);
  }

  private static void assertWorks(Sandbox box, Way way) {
    assertThat(box.fetchInfo().state()).isEqualTo("running");
    assertThat(box.exec("echo", "works").stdout()).isEqualTo("works\n");
    int services = way == Way.WITH_SERVICE ? 1 : 0;
    Awaitility.await("its services to be there")
        .atMost(PATIENCE)
        .untilAsserted(
            () -> assertThat(box.processes()).filteredOn(ProcessInfo::running).hasSize(services));
  }

  private static void assertNothingIsLeft(RunningServer server) {
    Awaitility.await("home and lists to fit together")
        .atMost(PATIENCE)
        .untilAsserted(() -> assertThat(HomeAudit.faultsOf(server)).isEmpty());
  }

  /** What a client asks for. */
  private interface Call<T> {
    T on(Cove cove);
  }

  /**
   * Lets the server end at a point, and starts it again.
   *
   * @return what the caller was told, if he was told anything
   */
  private static <T> Optional<T> crash(RunningServer server, String point, Call<T> work)
      throws Exception {
    server.startArmed(point);
    Optional<T> told = Optional.empty();
    try {
      told = Optional.of(work.on(server.cove()));
    } catch (CoveException e) {
      assertThat(e).as("the server has ended").isNotNull();
    }
    var status = server.awaitEnd(PATIENCE);
    if (status.isEmpty()) {
      server.kill();
    }
    assertThat(status).as("%s is reached", point).hasValue(FailPoint.EXIT_CODE);
    server.start();
    return told;
  }

  @Test
  void a_warm_cage_that_the_server_did_not_live_to_give_away_is_removed() throws Exception {
    Sandbox before = warm.create(CreateOptions.defaults().name(WITNESS)).detach();
    before.spawn(Command.of("sleep", "6000"));
    warm.kill();
    // Two are built at the start; the third takes the place of the one that is given away.
    crash(warm, FailPoint.WARM_CAGE_BUILT + ":3", _ -> warm.create().detach());
    List<SandboxInfo> left = warm.cove().sandboxes().list();
    assertThat(left.size()).isBetween(1, 2);
    assertNothingIsLeft(warm);
    assertThat(warm.cove().sandboxes().require(WITNESS).processes()).hasSize(1);
  }

  static List<FailPoint> changesOfNetworks() {
    return List.of(FailPoint.NETWORK_TRUSTED, FailPoint.NETWORK_RECORDED);
  }

  @Tag("long")
  @ParameterizedTest
  @MethodSource("changesOfNetworks")
  void a_change_of_the_network_is_made_or_not_and_can_be_repeated(FailPoint point)
      throws Exception {
    Network before = Network.denying().allow("before.test");
    Network after = Network.denying().allow("after.test GET /v1/*");
    cold.create(CreateOptions.defaults().name(NAME).diskMb(OWN_SIZE_MB).network(before)).detach();
    cold.kill();
    Optional<Network> told =
        crash(cold, point.name(), cove -> cove.sandboxes().require(NAME).setNetwork(after));

    Sandbox box = cold.cove().sandboxes().require(NAME);
    assertThat(box.network()).isIn(told.isPresent() ? List.of(after) : List.of(before, after));
    assertThat(box.explain("after.test:443").connects()).isEqualTo(box.network().equals(after));
    assertThat(box.setNetwork(after)).isEqualTo(after);
    assertThat(box.exec("sh", "-c", "echo $SSL_CERT_FILE").stdout().strip()).isNotEmpty();
    assertNothingIsLeft(cold);
  }
}
