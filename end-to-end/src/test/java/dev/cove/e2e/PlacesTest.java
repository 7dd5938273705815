package dev.cove.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.sdk.Cove;
import dev.cove.sdk.CreateOptions;
import dev.cove.sdk.Fork;
import dev.cove.sdk.LifeChange;
import dev.cove.sdk.Sandbox;
import dev.cove.sdk.SandboxInfo;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Scanner;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** All that needs a place on a machine that is full waits in one queue. */
class PlacesTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @RegisterExtension
  static final RunningServer server =
      RunningServer.with(
          Map.of(
              "COVE_MAX_SANDBOXES", "2",
              "COVE_POOL_SIZE", "0",
              "COVE_CREATE_QUEUE", "2",
              "COVE_CREATE_WAIT_MS", "50000"));

  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final Cove first = in("first");
  private final Cove second = in("second");

  private static Cove in(String project) {
    return Cove.connect(server.url(), server.key(), project);
  }

  @BeforeEach
  void begin() {
    server.cove().projects().create("first");
    server.cove().projects().create("second");
  }

  @AfterEach
  void end() {
    threads.shutdownNow();
    for (Cove cove : List.of(first, second)) {
      Awaitility.await()
          .atMost(PATIENCE)
          .until(() -> {
            cove.sandboxes().list().forEach(box -> cove.sandboxes().delete(box.id()));
            return cove.sandboxes().list().isEmpty();
          });
      cove.close();
    }
    for (String project : List.of("first", "second")) {
      Awaitility.await()
          .atMost(PATIENCE)
          .ignoreExceptions()
          .untilAsserted(() -> server.cove().projects().delete(project));
    }
  }

  /** Takes all places. */
  private List<Sandbox> fill() {
    return List.of(first.sandboxes().create(), first.sandboxes().create());
  }

  private List<Future<Sandbox>> creating(Cove cove, int count) {
    var creates = new ArrayList<Future<Sandbox>>();
    for (int i = 0; i < count; i++) {
      creates.add(threads.submit(() -> cove.sandboxes().create()));
    }
    return creates;
  }

  /** What somebody hears who would wait for a moment. */
  private static HttpResponse<String> knock(String project) throws Exception {
    try (var api = new RawApi(server)) {
      return api.post("/api/v1/sandboxes", "{}", "Cove-Project", project, "Prefer", "wait=1");
    }
  }

  private static void awaitWaiting(int count) {
    Awaitility.await().atMost(PATIENCE).until(() -> Waiting.count(server) == count);
  }

  private static long done(List<? extends Future<?>> all) {
    return all.stream().filter(Future::isDone).count();
  }

  @Test
  void who_finds_the_line_of_its_project_full_is_told_to_come_again_and_others_wait_in_theirs()
      throws Exception {
    fill();
    List<Future<Sandbox>> waiting = creating(first, 2);
    awaitWaiting(2);
    HttpResponse<String> refused = knock("first");
    assertThat(refused.statusCode()).isEqualTo(429);
    assertThat(refused.headers().firstValue("Retry-After")).isPresent();
    assertThat(refused.body()).contains("2 of project first wait for a place already");
    assertThat(knock("second").statusCode()).as("nobody waits there").isEqualTo(503);
    assertThat(done(waiting)).isZero();
  }

  @Test
  void a_caller_who_leaves_frees_its_place_in_the_line() throws Exception {
    List<Sandbox> standing = fill();
    try (Socket staying = asking()) {
      try (Socket _ = asking()) {
        awaitWaiting(2);
      }
      awaitWaiting(1);
      standing.getFirst().delete();
      var reply = new Scanner(staying.getInputStream(), StandardCharsets.UTF_8);
      assertThat(reply.nextLine()).startsWith("HTTP/1.1 201");
    }
    assertThat(first.sandboxes().list()).as("none for who left").hasSize(2);
  }

  /** A create over a connection that can be hung up. */
  private static Socket asking() throws IOException {
    var socket = new Socket(server.url().getHost(), server.url().getPort());
    String request =
        ("POST /api/v1/sandboxes HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n"
                + "Cove-Project: first\r\nContent-Type: application/json\r\n"
                + "Content-Length: 2\r\n\r\n{}")
            .formatted(server.key());
    socket.getOutputStream().write(request.getBytes(StandardCharsets.UTF_8));
    return socket;
  }

  @Test
  void projects_are_served_in_turns_however_early_one_of_them_came() throws Exception {
    fill();
    List<Future<Sandbox>> early = creating(first, 2);
    awaitWaiting(2);
    List<Future<Sandbox>> late = creating(second, 2);
    awaitWaiting(4);
    for (int round = 1; round <= 2; round++) {
      long before = round;
      deleteOneThatStands();
      Awaitility.await().atMost(PATIENCE).until(() -> done(early) == before);
      assertThat(done(late)).isEqualTo(before - 1);
      deleteOneThatStands();
      Awaitility.await().atMost(PATIENCE).until(() -> done(late) == before);
      assertThat(done(early)).isEqualTo(before);
    }
  }

  private void deleteOneThatStands() {
    for (Cove cove : List.of(first, second)) {
      List<SandboxInfo> standing = cove.sandboxes().list();
      if (!standing.isEmpty()) {
        cove.sandboxes().delete(standing.getFirst().id());
        return;
      }
    }
  }

  @Test
  void starts_wakes_and_forks_wait_in_the_same_line_and_succeed() throws Exception {
    Sandbox resting = first.sandboxes().create();
    resting.stop();
    List<Sandbox> standing = fill();
    Future<?> start = threads.submit(() -> resting.start());
    awaitWaiting(1);
    List<Future<Sandbox>> behind = creating(first, 1);
    awaitWaiting(2);
    assertThat(resting.fetchInfo().state()).isEqualTo("stopped");
    standing.getFirst().delete();
    start.get(60, TimeUnit.SECONDS);
    assertThat(resting.fetchInfo().state()).isEqualTo("running");
    assertThat(done(behind)).as("who came later").isZero();
    standing.getLast().delete();
    Sandbox parent = behind.getFirst().get(60, TimeUnit.SECONDS);

    Future<List<Fork>> fork = threads.submit(() -> parent.fork(2));
    awaitWaiting(2);
    resting.delete();
    parent.delete();
    assertThat(fork.get(60, TimeUnit.SECONDS)).hasSize(2).allMatch(Fork.Made.class::isInstance);
  }

  @Test
  void a_sandbox_that_rests_is_woken_by_many_at_once_when_there_is_a_place() throws Exception {
    Sandbox resting =
        first
            .sandboxes()
            .create(
                CreateOptions.defaults().life(LifeChange.none().pausedFor(Duration.ofSeconds(1))));
    resting.pause();
    Awaitility.await().atMost(PATIENCE).until(() -> resting.fetchInfo().state().equals("stopped"));
    List<Sandbox> standing = fill();
    Future<String> one = threads.submit(() -> resting.exec("echo", "one").stdout());
    Future<String> two = threads.submit(() -> resting.exec("echo", "two").stdout());
    awaitWaiting(2);
    standing.getFirst().delete();
    assertThat(one.get(60, TimeUnit.SECONDS)).isEqualTo("one\n");
    assertThat(two.get(60, TimeUnit.SECONDS)).as("with the same place").isEqualTo("two\n");
  }

  @Test
  void a_create_in_another_dialect_waits_too() throws Exception {
    List<Sandbox> standing = fill();
    try (var client = HttpClient.newHttpClient()) {
      Future<HttpResponse<String>> create =
          threads.submit(() ->
              client.send(
                  HttpRequest.newBuilder(URI.create(server.url() + "/e2b/sandboxes"))
                      .header("X-API-KEY", server.key().replaceFirst("^cove_", "e2b_"))
                      .header("Content-Type", "application/json")
                      .POST(BodyPublishers.ofString("{\"templateID\":\"base\"}"))
                      .build(),
                  BodyHandlers.ofString()));
      awaitWaiting(1);
      assertThat(create.isDone()).isFalse();
      standing.getFirst().delete();
      assertThat(create.get(60, TimeUnit.SECONDS).statusCode()).isEqualTo(201);
    }
    server.cove().sandboxes().list().forEach(box -> server.cove().sandboxes().delete(box.id()));
  }
}
