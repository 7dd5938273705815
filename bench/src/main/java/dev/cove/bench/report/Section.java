package dev.cove.bench.report;

import dev.cove.bench.report.Finding.Quantity;
import dev.cove.bench.report.Finding.Timing;
import java.util.List;
import java.util.Optional;

/**
 * The result of one measurement.
 *
 * @param name the name under which {@code --only} selects it
 * @param notes sentences about how it was measured or what went wrong
 */
public record Section(String name, String title, List<Finding> findings, List<String> notes) {

  public Section {
    findings = List.copyOf(findings);
    notes = List.copyOf(notes);
  }

  public List<Timing> timings() {
    return findings.stream().filter(Timing.class::isInstance).map(Timing.class::cast).toList();
  }

  public List<Quantity> quantities() {
    return findings.stream().filter(Quantity.class::isInstance).map(Quantity.class::cast).toList();
  }

  Optional<Samples> findSamples(String key) {
    return timings().stream()
        .filter(timing -> timing.key().equals(key))
        .map(Timing::samples)
        .filter(samples -> !samples.isEmpty())
        .findFirst();
  }

  Optional<Double> findValue(String key) {
    return quantities().stream()
        .filter(quantity -> quantity.key().equals(key))
        .map(Quantity::value)
        .findFirst();
  }
}
