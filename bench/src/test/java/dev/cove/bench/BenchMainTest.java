package dev.cove.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class BenchMainTest {
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();
  private final BenchMain bench =
      new BenchMain(
          new PrintStream(out, true, StandardCharsets.UTF_8),
          new PrintStream(err, true, StandardCharsets.UTF_8));

  @Test
  void help_names_every_measurement_and_measures_nothing() throws Exception {
    assertThat(bench.run(List.of("--help"))).isZero();
    assertThat(out.toString(StandardCharsets.UTF_8))
        .contains("first-output, tiers, exec, burst, rate, density, checkpoint, apt, pull, rest,");
    assertThat(err.size()).isZero();
  }

  @Test
  void an_unknown_option_is_refused_with_the_usage() throws Exception {
    assertThat(bench.run(List.of("--fast"))).isEqualTo(2);
    assertThat(err.toString(StandardCharsets.UTF_8))
        .contains("There is no option --fast.")
        .contains("Usage: cove bench");
    assertThat(out.size()).isZero();
  }

  @Test
  void an_unknown_measurement_is_refused_by_name() throws Exception {
    assertThat(bench.run(List.of("--only", "exec,latency"))).isEqualTo(2);
    assertThat(err.toString(StandardCharsets.UTF_8))
        .contains("There is no measurement \"latency\"");
  }

  @Test
  void an_option_without_its_value_is_refused() throws Exception {
    assertThat(bench.run(List.of("--only"))).isEqualTo(2);
    assertThat(err.toString(StandardCharsets.UTF_8)).contains("--only needs a value.");
  }

  @Test
  void a_time_for_the_load_is_taken_in_minutes_and_within_a_day() throws Exception {
    assertThat(BenchOptions.parse(List.of("soak", "--minutes", "7")).effort().soakTime())
        .isEqualTo(Duration.ofMinutes(7));
    assertThat(BenchOptions.parse(List.of("soak")).effort().soakTime())
        .isEqualTo(Duration.ofMinutes(5));
    for (String wrong : List.of("0", "1441", "-3", "five")) {
      assertThat(bench.run(List.of("soak", "--minutes", wrong))).isEqualTo(2);
    }
    assertThat(err.toString(StandardCharsets.UTF_8))
        .contains("--minutes takes a number from 1 to 1440, not \"five\".");
  }

  @Test
  void soak_stands_for_all_that_takes_long() {
    assertThat(BenchOptions.parse(List.of("soak")).chosen())
        .extracting(m -> m.name())
        .containsExactly("load", "churn", "paused");
  }

  @Test
  void a_group_stands_for_its_measurements() {
    BenchOptions options = BenchOptions.parse(List.of("storage,cli"));
    assertThat(options.chosen())
        .extracting(m -> m.name())
        .containsExactly("checkpoint", "apt", "pull", "cli");
  }

  @Test
  void chosen_measurements_run_in_the_usual_order() {
    BenchOptions options = BenchOptions.parse(List.of("--only", "cli,exec", "--cove", "/x/cove"));
    assertThat(options.chosen()).extracting(m -> m.name()).containsExactly("exec", "cli");
    assertThat(options.launcher()).contains(Path.of("/x/cove"));
  }
}
