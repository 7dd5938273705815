package dev.cove.bench.report;

import dev.cove.bench.report.Figure.Verdict;
import java.util.List;

/** Everything one run found. */
public record Report(
    String version,
    MachineLine machine,
    List<PeerLine> peers,
    List<Section> sections,
    List<Figure> figures) {

  public Report {
    peers = List.copyOf(peers);
    sections = List.copyOf(sections);
    figures = List.copyOf(figures);
  }

  public static Report of(
      String version, MachineLine machine, List<PeerLine> peers, List<Section> sections) {
    return new Report(version, machine, peers, sections, new FiguresToReach(sections).judge());
  }

  public boolean missesAFigure() {
    return figures.stream().anyMatch(figure -> figure.verdict() == Verdict.MISSED);
  }
}
