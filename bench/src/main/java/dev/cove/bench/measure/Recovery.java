package dev.cove.bench.measure;

import dev.cove.bench.report.Finding.Quantity;
import dev.cove.bench.report.Finding.Timing;
import dev.cove.bench.report.Samples;
import dev.cove.bench.report.Section;
import dev.cove.sdk.Command;
import dev.cove.sdk.CreateOptions;
import dev.cove.sdk.SandboxInfo;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** From the start of a server whose predecessor was killed until it has all sandboxes again. */
final class Recovery implements Measurement {
  private static final int SANDBOXES = 200;
  private static final int CLIENTS = 16;
  private static final CreateOptions SMALL = CreateOptions.defaults().memoryMb(64);

  @Override
  public String name() {
    return "recovery";
  }

  @Override
  public String title() {
    return "Start after kill -9, with %d sandboxes that run".formatted(SANDBOXES);
  }

  @Override
  public Section measure(Workbench bench) throws IOException, InterruptedException {
    var ready = new ArrayList<Duration>();
    int lost = 0;
    BenchServer server =
        bench.startServer(Map.of("COVE_MAX_SANDBOXES", String.valueOf(SANDBOXES * 2)));
    try {
      BenchServer first = server;
      Clients.each(
          CLIENTS,
          IntStream.range(0, SANDBOXES).boxed().toList(),
          _ -> first.cove().sandboxes().create(SMALL).detach().spawn(Command.of("sleep", "36000")));
      for (int i = 0; i < bench.effort().serverStarts(); i++) {
        server = bench.killAndStart(server);
        ready.add(server.healthyAfter());
        lost += SANDBOXES - (int) running(server);
      }
    } finally {
      server.close();
    }
    return new Section(
        name(),
        title(),
        List.of(
            new Timing("ready", "launcher to healthy", Samples.of(ready, 0)),
            new Quantity("lost", "sandboxes that did not run any more", lost, "sandboxes")),
        List.of("Each sandbox has a command that runs through it all."));
  }

  private static long running(BenchServer server) {
    return server.cove().sandboxes().list().stream()
        .map(SandboxInfo::state)
        .filter("running"::equals)
        .count();
  }
}
