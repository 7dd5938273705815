package dev.cove.server;

import dev.cove.engine.EngineReport;
import dev.cove.engine.EngineReport.Finding;
import dev.cove.engine.container.ContainerEngine;
import dev.cove.engine.microvm.Qemu;
import dev.cove.engine.oci.OciEngine;
import dev.cove.model.Tier;
import dev.cove.server.Doctor.Diagnosis;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.json.JsonMapper;

/**
 * {@code cove doctor}: exit code 0 when sandboxes can run here and have what is promised, 1 when
 * not, 2 when it was asked for something that makes no sense.
 */
public final class DoctorMain {
  private static final String PROMISED = "COVE_PROMISED";
  private static final Path HERE = Path.of("/");

  private DoctorMain() {}

  public static void main(String[] arguments) {
    System.exit(run(List.of(arguments), System.getenv(), System.out, System.err));
  }

  static int run(
      List<String> arguments, Map<String, String> environment, PrintStream out, PrintStream err) {
    var rest = new ArrayList<>(arguments);
    var faults = new ArrayList<String>();
    boolean json = rest.remove("--json");
    Path root = Path.of(take(rest, "--root", faults).orElse(HERE.toString()));
    if (!Files.isDirectory(root)) {
      faults.add("--root must name a folder with proc, sys and dev of the machine to judge");
    }
    String wanted = take(rest, "--promise", faults).orElse(environment.getOrDefault(PROMISED, ""));
    List<String> promised =
        Arrays.stream(wanted.split(","))
            .map(String::strip)
            .filter(word -> !word.isEmpty())
            .toList();
    promised.stream()
        .filter(word -> !Doctor.promises().contains(word))
        .forEach(word ->
            faults.add(
                "Nobody can promise %s; known are %s"
                    .formatted(word, String.join(", ", Doctor.promises()))));
    Optional<ServerConfig> config = config(rest, environment, faults);
    if (!faults.isEmpty() || config.isEmpty()) {
      faults.forEach(fault -> err.println("cove doctor: " + fault + "."));
      return 2;
    }
    Home home = config.get().home();
    Diagnosis diagnosis =
        Doctor.examine(
            home.data(),
            root,
            () -> ContainerEngine.examine(root),
            stronger(root, config.get()),
            promised);
    if (root.equals(HERE)) {
      diagnosis = diagnosis.with(ServerVisit.of(home));
    }
    print(diagnosis, json, out);
    return diagnosis.usable() && diagnosis.broken().isEmpty() ? 0 : 1;
  }

  /** Programs are looked for on this machine; one that is only described has none. */
  private static Map<Tier, EngineReport> stronger(Path root, ServerConfig config) {
    return root.equals(HERE)
        ? Map.of(
            Tier.GVISOR,
            OciEngine.examineGvisor(ContainerEngine.examine(root), config.tiers().gvisor()),
            Tier.MICROVM,
            Qemu.examine())
        : Map.of();
  }

  private static Optional<String> take(List<String> rest, String option, List<String> faults) {
    int at = rest.indexOf(option);
    if (at < 0) {
      return Optional.empty();
    }
    rest.remove(at);
    if (at == rest.size()) {
      faults.add("The option %s needs a value".formatted(option));
      return Optional.empty();
    }
    return Optional.of(rest.remove(at));
  }

  private static Optional<ServerConfig> config(
      List<String> rest, Map<String, String> environment, List<String> faults) {
    try {
      return Optional.of(ServerConfig.read(rest, environment));
    } catch (ConfigException e) {
      faults.addAll(e.faults());
      return Optional.empty();
    }
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
            ? "Sandboxes can run on this machine: it can promise %s."
                .formatted(String.join(", ", diagnosis.offers()))
            : "Sandboxes cannot run on this machine: mend what is marked as missing.");
    if (!diagnosis.broken().isEmpty()) {
      out.println(
          "Promised, but not to be had here: %s.".formatted(String.join(", ", diagnosis.broken())));
    }
  }

  private static String word(Finding finding) {
    return finding.severity().name().toLowerCase(Locale.ROOT);
  }

  private record Report(
      boolean usable, List<String> offers, List<String> broken, List<Line> findings) {
    record Line(String severity, String subject, String detail) {}

    static Report of(Diagnosis diagnosis) {
      return new Report(
          diagnosis.usable(),
          diagnosis.offers(),
          diagnosis.broken(),
          diagnosis.findings().stream()
              .map(found -> new Line(word(found), found.subject(), found.detail()))
              .toList());
    }
  }
}
