package dev.cove.cli;

import dev.cove.sdk.Cove;
import dev.cove.sdk.CoveApiException;
import dev.cove.sdk.SandboxInfo;
import dev.cove.sdk.SandboxMetrics;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;

final class Top implements Callable<Integer> {
  private static final String CLEAR = "\u001b[H\u001b[2J";
  private static final Duration FIRST_INTERVAL = Duration.ofMillis(500);

  private final Session session;

  private boolean once;

  private boolean json;

  private Duration interval = Duration.ofSeconds(2);

  private record Sample(SandboxInfo box, SandboxMetrics metrics, long atNanos) {}

  private Top(Session session) {
    this.session = session;
  }

  static CommandSpec describe(Session session) {
    var top = new Top(session);
    return Description.of(top, "Show what running sandboxes use, again and again until Ctrl-C.")
        .flag("--once", "Show it once.", () -> top.once = true)
        .flag("--json", "Print a JSON array each time.", () -> top.json = true)
        .value(
            "--interval",
            "TIME",
            "How often; default 2s.",
            new CommandFlags.Time(),
            Duration.class,
            interval -> top.interval = interval)
        .examples("cove top --once --json")
        .build();
  }

  @Override
  public Integer call() throws InterruptedException {
    try (Cove cove = session.connect()) {
      // A rate needs two looks.
      List<Sample> before = look(cove);
      Thread.sleep(FIRST_INTERVAL);
      while (true) {
        List<Sample> now = look(cove);
        show(before, now);
        if (once) {
          return ExitCode.OK;
        }
        before = now;
        Thread.sleep(interval);
      }
    }
  }

  private static List<Sample> look(Cove cove) {
    List<Sample> samples = new ArrayList<>();
    for (SandboxInfo box : cove.sandboxes().list()) {
      if (!box.state().equals("running")) {
        continue;
      }
      try {
        SandboxMetrics metrics = cove.sandboxes().require(box.id()).metrics();
        samples.add(new Sample(box, metrics, System.nanoTime()));
      } catch (CoveApiException e) {
        // It ended since it was listed.
        if (e.status() != 404 && e.status() != 409) {
          throw e;
        }
      }
    }
    return samples;
  }

  private void show(List<Sample> before, List<Sample> now) {
    if (json) {
      session.println(JsonLines.array(now, Top::toJson));
      return;
    }
    Map<String, Sample> earlier = new HashMap<>();
    before.forEach(sample -> earlier.put(sample.box.id(), sample));
    var table = new Table("ID", "NAME", "CPU", "MEMORY", "DISK", "PROCESSES", "OOM KILLS");
    for (Sample sample : now) {
      SandboxMetrics metrics = sample.metrics;
      table.row(
          sample.box.id(),
          sample.box.name(),
          cpu(earlier.getOrDefault(sample.box.id(), sample), sample),
          used(metrics.memory().usedBytes(), metrics.memory().limitBytes()),
          used(metrics.disk().usedBytes(), metrics.disk().limitBytes()),
          metrics.processes().count() + "/" + metrics.processes().limit(),
          Long.toString(metrics.oomKills()));
    }
    PrintStream printer = session.printer();
    if (!once && session.terminal().isOutput()) {
      printer.print(CLEAR);
    }
    table.print(printer, session.colours());
  }

  // The SDK's objects with the id put in front.
  private static String toJson(Sample sample) {
    return "{\"id\":\"" + sample.box.id() + "\"," + sample.metrics.toJson().substring(1);
  }

  private static String cpu(Sample before, Sample now) {
    double seconds = (now.atNanos - before.atNanos) / 1e9;
    double used = now.metrics.cpu().usedSeconds() - before.metrics.cpu().usedSeconds();
    double share = seconds <= 0 ? 0 : Math.max(0, used / seconds);
    return String.format(
        Locale.ROOT, "%.0f%%/%.0f%%", share * 100, now.metrics.cpu().limit() * 100);
  }

  private static String used(long used, long limit) {
    return Human.bytes(used) + (limit > 0 ? "/" + Human.bytes(limit) : "");
  }
}
