package dev.cove.bench.measure;

import dev.cove.bench.report.Finding;
import dev.cove.bench.report.Finding.Timing;
import dev.cove.bench.report.Samples;
import dev.cove.bench.report.Section;
import dev.cove.sdk.Sandbox;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Pause, resume, and what an exec costs that finds its sandbox at rest. */
final class Resting implements Measurement {
  @Override
  public String name() {
    return "rest";
  }

  @Override
  public String title() {
    return "Pause, resume, stop and start of an idle sandbox";
  }

  @Override
  public Section measure(Workbench bench) throws IOException, InterruptedException {
    int rounds = Math.max(10, bench.effort().rounds() / 2);
    var pause = new ArrayList<Duration>();
    var resume = new ArrayList<Duration>();
    var awake = new ArrayList<Duration>();
    var woken = new ArrayList<Duration>();
    var stop = new ArrayList<Duration>();
    var start = new ArrayList<Duration>();
    List<Finding> requests;
    try (BenchServer server = bench.startServer(Map.of());
        Sandbox box = server.cove().sandboxes().create()) {
      for (int i = 0; i < bench.effort().practice() / 4; i++) {
        box.pause();
        box.resume();
        box.exec("/bin/true");
      }
      for (int i = 0; i < rounds; i++) {
        pause.add(time(box::pause));
        resume.add(time(box::resume));
        awake.add(time(() -> box.exec("/bin/true")));
        box.pause();
        woken.add(time(() -> box.exec("/bin/true")));
      }
      requests = requests(bench, server, rounds);
      for (int i = 0; i < Math.max(5, rounds / 5); i++) {
        stop.add(time(box::stop));
        start.add(time(box::start));
      }
    }
    List<Finding> findings = new ArrayList<>(requests);
    findings.addAll(
        List.of(
            new Timing("pause", "pause", Samples.of(pause, 0)),
            new Timing("resume", "resume", Samples.of(resume, 0)),
            new Timing("awake", "exec of true", Samples.of(awake, 0)),
            new Timing("wake", "exec of true in a paused sandbox", Samples.of(woken, 0)),
            new Timing("stop", "stop", Samples.of(stop, 0)),
            new Timing("start", "start", Samples.of(start, 0))));
    return new Section(
        name(),
        title(),
        findings,
        List.of("Nothing runs in the sandbox, but for a web server where requests are timed."));
  }

  /** Each over a connection of its own, as a browser that comes back would open it. */
  private static List<Finding> requests(Workbench bench, BenchServer server, int rounds)
      throws IOException, InterruptedException {
    var awake = new ArrayList<Duration>();
    var woken = new ArrayList<Duration>();
    try (Sandbox box = server.cove().sandboxes().create()) {
      Path answer = NativeProgram.compile("answer", bench.folder("resting"));
      String host = PortUrls.serve(answer, box, server);
      for (int i = 0; i < 2 * rounds; i++) {
        Duration first = request(server, host);
        box.pause();
        Duration second = request(server, host);
        if (i >= rounds) { // the others were practice
          awake.add(first);
          woken.add(second);
        }
      }
    }
    return List.of(
        new Timing("awake-request", "request to a port", Samples.of(awake, 0)),
        new Timing("wake-request", "request to a port of a paused sandbox", Samples.of(woken, 0)));
  }

  private static Duration request(BenchServer server, String host) throws IOException {
    var watch = new Stopwatch();
    if (!PortUrls.answers(server.url().getPort(), host)) {
      throw new IOException("A port did not answer as it should.");
    }
    return watch.elapsed();
  }

  private static Duration time(Runnable call) {
    var watch = new Stopwatch();
    call.run();
    return watch.elapsed();
  }
}
