package dev.cove.bench.report;

import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** A report as aligned text for a terminal. */
public final class TableText {
  private static final DateTimeFormatter DATE =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm 'UTC'", Locale.ROOT).withZone(ZoneOffset.UTC);

  private final StringBuilder out = new StringBuilder();

  private TableText() {}

  /** What stands above the sections, for those who show them one by one. */
  public static String heading(String version, MachineLine machine, List<PeerLine> peers) {
    var text = new TableText();
    text.showHeading(version, machine, peers);
    return text.out.toString();
  }

  public static String section(Section section) {
    var text = new TableText();
    text.showSection(section);
    return text.out.toString();
  }

  public static String figures(Report report) {
    var text = new TableText();
    text.showFigures(report.figures());
    return text.out.toString();
  }

  public static String of(Report report) {
    return heading(report.version(), report.machine(), report.peers())
        + report.sections().stream().map(TableText::section).collect(Collectors.joining())
        + figures(report);
  }

  private void showHeading(String version, MachineLine machine, List<PeerLine> peers) {
    line("Cove " + version + " bench, " + DATE.format(machine.date()));
    line(
        String.format(
            Locale.ROOT,
            "%s, %d cores, %.1f GiB, %s, %s",
            machine.cpu(),
            machine.cores(),
            machine.memoryBytes() / (double) (1L << 30),
            machine.kernel(),
            machine.cgroups()));
    showPeers("Beside", "measured", peers);
    showPeers("Missing", "missing", peers);
    for (PeerLine peer : peers) {
      if (peer.standing().equals("unusable")) {
        line("Installed, but unusable here: " + peer.name() + ": " + peer.detail());
      }
    }
  }

  private void showPeers(String word, String standing, List<PeerLine> peers) {
    String names =
        peers.stream()
            .filter(peer -> peer.standing().equals(standing))
            .map(peer -> (peer.name() + " " + peer.detail()).strip())
            .collect(Collectors.joining(", "));
    line(word + ": " + (names.isEmpty() ? "none" : names));
  }

  private void showSection(Section section) {
    line("");
    line(section.title());
    if (!section.timings().isEmpty()) {
      grid(timingRows(section));
    }
    if (!section.quantities().isEmpty()) {
      grid(
          section.quantities().stream()
              .map(q -> List.of("  " + q.label(), Numbers.plain(q.value()), " " + q.unit()))
              .toList());
    }
    section.notes().forEach(note -> line("  " + note));
  }

  private static List<List<String>> timingRows(Section section) {
    double first = section.timings().getFirst().samples().p50Millis();
    boolean failed = section.timings().stream().anyMatch(t -> t.samples().failures() > 0);
    var rows = new ArrayList<List<String>>();
    rows.add(row("  milliseconds", "n", "min", "p50", "p99", "p50 ratio", failed ? "failed" : ""));
    for (Finding.Timing timing : section.timings()) {
      Samples samples = timing.samples();
      rows.add(
          row(
              "  " + timing.label(),
              String.valueOf(samples.count()),
              Numbers.plain(samples.minMillis()),
              Numbers.plain(samples.p50Millis()),
              Numbers.plain(samples.p99Millis()),
              times(samples.p50Millis() / first),
              failed ? String.valueOf(samples.failures()) : ""));
    }
    return rows;
  }

  private static String times(double ratio) {
    return Double.isNaN(ratio) ? "-" : String.format(Locale.ROOT, "%.2fx", ratio);
  }

  private void showFigures(List<Figure> figures) {
    line("");
    line("Figures to reach (p50 unless said)");
    var rows = new ArrayList<List<String>>();
    for (Figure figure : figures) {
      String verdict =
          switch (figure.verdict()) {
            case REACHED -> "  pass";
            case MISSED -> "  MISS";
            case NOT_MEASURED -> "  -";
          };
      rows.add(List.of(verdict, figure.what(), figure.target(), figure.measured()));
    }
    leftAligned(rows);
  }

  private static List<String> row(String... cells) {
    return List.of(cells);
  }

  /** First column to the left, the others to the right, as numbers want it; units to the left. */
  private void grid(List<List<String>> rows) {
    int[] widths = widths(rows);
    for (List<String> row : rows) {
      var text = new StringBuilder();
      for (int i = 0; i < row.size(); i++) {
        String cell = row.get(i);
        String blank = " ".repeat(widths[i] - cell.length());
        text.append(i == 0 || cell.startsWith(" ") ? cell + blank : "  " + blank + cell);
      }
      line(text.toString());
    }
  }

  private void leftAligned(List<List<String>> rows) {
    int[] widths = widths(rows);
    for (List<String> row : rows) {
      var text = new StringBuilder();
      for (int i = 0; i < row.size(); i++) {
        text.append(row.get(i)).append(" ".repeat(widths[i] - row.get(i).length() + 2));
      }
      line(text.toString());
    }
  }

  private static int[] widths(List<List<String>> rows) {
    var widths = new int[rows.getFirst().size()];
    for (List<String> row : rows) {
      for (int i = 0; i < row.size(); i++) {
        widths[i] = Math.max(widths[i], row.get(i).length());
      }
    }
    return widths;
  }

  private void line(String text) {
    out.append(text.stripTrailing()).append('\n');
  }
}
