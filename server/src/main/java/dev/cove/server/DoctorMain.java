package dev.cove.server;

import dev.cove.engine.EngineReport.Finding;
import dev.cove.engine.container.ContainerEngine;
import dev.cove.server.Doctor.Diagnosis;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import tools.jackson.databind.json.JsonMapper;

/** {@code cove doctor}: exit code 0 when sandboxes can run here, 1 when they cannot. */
public final class DoctorMain {
  private DoctorMain() {}

  public static void main(String[] arguments) {
    var rest = new ArrayList<>(List.of(arguments));
    boolean json = rest.remove("--json");
    ServerConfig config;
    try {
      config = ServerConfig.read(rest, System.getenv());
    } catch (ConfigException e) {
      e.faults().forEach(fault -> System.err.println("cove doctor: " + fault + "."));
      System.exit(2);
      return;
    }
    Diagnosis diagnosis = Doctor.examine(config.home().data(), ContainerEngine::examine);
    print(diagnosis, json, System.out);
    System.exit(diagnosis.usable() ? 0 : 1);
  }

  static void print(Diagnosis diagnosis, boolean json, PrintStream out) {
    if (json) {
      out.println(JsonMapper.shared().writeValueAsString(Report.of(diagnosis)));
      return;
    }
    int width =
        diagnosis.findings().stream().mapToInt(found -> found.subject().length()).max().orElse(0);
    for (Finding finding : diagnosis.findings()) {
      out.println(
          ("%-8s%-" + width + "s  %s")
              .formatted(word(finding), finding.subject(), finding.detail()));
    }
    out.println();
    out.println(
        diagnosis.usable()
            ? "Sandboxes can run on this machine."
            : "Sandboxes cannot run on this machine: mend what is marked as missing.");
  }

  private static String word(Finding finding) {
    return finding.severity().name().toLowerCase(Locale.ROOT);
  }

  private record Report(boolean usable, List<Line> findings) {
    record Line(String severity, String subject, String detail) {}

    static Report of(Diagnosis diagnosis) {
      return new Report(
          diagnosis.usable(),
          diagnosis.findings().stream()
              .map(found -> new Line(word(found), found.subject(), found.detail()))
              .toList());
    }
  }
}
