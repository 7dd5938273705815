package dev.cove.e2e;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** E2B's own clients, as they are published, against a running server. */
class E2bSdkTest {
  @RegisterExtension static final RunningServer server = RunningServer.shared();

  private static final List<String> VERSIONS = List.of("2.51.0", "2.45.0");

  /** Those that wait for something first, so that others work meanwhile. */
  private static final List<String> AREAS =
      List.of(
          "lifetimes", "templates", "files", "commands", "storage", "sandboxes", "secrets", "git");

  private static final int AT_ONCE = 3;

  /** Rewrites the table when it is set to {@code write}. */
  private static final String TABLE = "cove.e2b.table";

  private static final Map<Run, FutureTask<String>> RUNS = new LinkedHashMap<>();

  /** One script with one version; what it prints. */
  record Run(String version, String area) {}

  @BeforeAll
  static void begin() throws Exception {
    Map<String, String> environment = E2bPackage.environment(server);
    var places = new Semaphore(AT_ONCE);
    for (Run run : (Iterable<Run>) runs()::iterator) {
      E2bPackage client = E2bPackage.of("e2b-" + run.version);
      var task =
          new FutureTask<String>(() -> {
            places.acquire();
            try {
              return client.run(run.area + ".cjs", environment);
            } finally {
              places.release();
            }
          });
      RUNS.put(run, task);
      Thread.ofVirtual().start(task);
    }
  }

  /** Also those that nobody asked for: where one test is tried again, all have begun again. */
  @AfterAll
  static void end() throws InterruptedException {
    for (FutureTask<String> run : RUNS.values()) {
      try {
        run.get();
      } catch (ExecutionException e) {
        // told by the test that asked for it
      }
    }
  }

  static Stream<Run> runs() {
    return AREAS.stream().flatMap(area -> VERSIONS.stream().map(version -> new Run(version, area)));
  }

  @ParameterizedTest
  @MethodSource("runs")
  void the_published_client_works_unmodified(Run run) throws Exception {
    String said = requireNonNull(RUNS.get(run)).get();
    assertThat(said).contains("checks passed").doesNotContain("not ok");
  }

  @Test
  void the_table_of_methods_says_what_the_runs_showed() throws Exception {
    E2bTable table = table();
    assertThat(table.gaps()).isEmpty();
    if (System.getProperty(TABLE, "").equals("write")) {
      table.writeToPage();
    }
    assertThat(E2bTable.onPage())
        .as("the table in docs/e2b.md, which -D%s=write writes anew", TABLE)
        .isEqualTo(table.text());
  }

  private static E2bTable table() throws Exception {
    var table = new E2bTable(E2bPackage.text("differences.txt"));
    for (String version : VERSIONS) {
      table.add(version, said(version));
    }
    return table;
  }

  private static List<String> said(String version) throws Exception {
    var said = new ArrayList<String>();
    for (var run : RUNS.entrySet()) {
      if (run.getKey().version.equals(version)) {
        said.add(run.getValue().get());
      }
    }
    return said;
  }
}
