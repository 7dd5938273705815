package dev.cove.bench.report;

import static dev.cove.bench.report.SamplesTest.repeated;
import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.bench.report.Finding.Quantity;
import dev.cove.bench.report.Finding.Timing;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReportTextTest {
  private static final MachineLine MACHINE =
      new MachineLine(
          "Example CPU",
          2,
          24L << 30,
          "Linux 6.18",
          "cgroup v1",
          Instant.parse("2026-11-15T23:40:59Z"));
  private static final List<PeerLine> PEERS =
      List.of(
          new PeerLine("runc", "measured", "1.1.5"),
          new PeerLine("podman", "missing", ""),
          new PeerLine("docker", "unusable", "Cannot connect to \"the\" engine."));
  private static final Section FIRST_OUTPUT =
      new Section(
          "first-output",
          "Create to first output",
          List.of(
              new Timing("cove-cold", "cove, cold", Samples.of(repeated(8, 10), 0)),
              new Timing("runc", "runc run", Samples.of(repeated(48, 10), 2)),
              new Quantity("rate", "creates", 123.456, "a second")),
          List.of("A note."));

  private final Report report = Report.of("0.1.0", MACHINE, PEERS, List.of(FIRST_OUTPUT));

  @Test
  void the_table_is_aligned_and_names_machine_date_and_peers() {
    assertThat(TableText.of(report))
        .startsWith(
            """
            Cove 0.1.0 bench, 2026-11-15 23:40 UTC
            Example CPU, 2 cores, 24.0 GiB, Linux 6.18, cgroup v1
            Beside: runc 1.1.5
            Missing: podman
            Installed, but unusable here: docker: Cannot connect to "the" engine.

            Create to first output
              milliseconds   n  min  p50  p99  p50 ratio  failed
              cove, cold    10    8    8    8      1.00x       0
              runc run      10   48   48   48      6.00x       2
              creates  123 a second
              A note.

            Figures to reach (p50 unless said)
              pass  cold create to first output against runc run  at least 5 times faster
            """
                .stripTrailing());
  }

  @Test
  void a_figure_whose_peer_is_missing_is_not_measured_and_not_missed() {
    assertThat(report.missesAFigure()).isFalse();
    assertThat(report.figures())
        .filteredOn(figure -> figure.what().contains("docker"))
        .extracting(Figure::verdict)
        .containsExactly(Figure.Verdict.NOT_MEASURED);
  }

  @Test
  void a_figure_at_its_limit_is_reached_and_past_it_missed() {
    assertThat(verdict(3.0)).isEqualTo(Figure.Verdict.REACHED);
    assertThat(verdict(3.1)).isEqualTo(Figure.Verdict.MISSED);
  }

  private static Figure.Verdict verdict(double execMillis) {
    var section =
        new Section(
            "exec",
            "Exec",
            List.of(new Timing("cove", "cove", Samples.of(repeated(execMillis, 5), 0))),
            List.of());
    return Report.of("0.1.0", MACHINE, PEERS, List.of(section)).figures().stream()
        .filter(figure -> figure.what().equals("exec of true over HTTP"))
        .findFirst()
        .orElseThrow()
        .verdict();
  }

  @Test
  void fifty_creates_with_one_failure_miss_their_figure() {
    var section =
        new Section(
            "burst",
            "Burst",
            List.of(new Timing("create", "create", Samples.of(repeated(20, 49), 1))),
            List.of());
    assertThat(Report.of("0.1.0", MACHINE, PEERS, List.of(section)).missesAFigure()).isTrue();
  }

  @Test
  void the_json_has_every_number_and_escapes_text() {
    assertThat(JsonText.of(report))
        .contains("\"date\":\"2026-11-15T23:40:59Z\"")
        .contains("\"detail\":\"Cannot connect to \\\"the\\\" engine.\"")
        .contains(
            "{\"key\":\"runc\",\"label\":\"runc run\",\"n\":10,\"failures\":2,"
                + "\"minMs\":48.000,\"p50Ms\":48.000,\"p99Ms\":48.000}")
        .contains("\"value\":123.456,\"unit\":\"a second\"")
        .contains("\"verdict\":\"not_measured\"");
  }

  @Test
  void json_writes_what_is_not_a_number_as_null_and_control_characters_escaped() {
    assertThat(JsonText.value(List.of(Double.NaN, "a\nb\u0001", 5L, true)))
        .isEqualTo("[null,\"a\\u000ab\\u0001\",5,true]");
  }
}
