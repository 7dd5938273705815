package dev.cove.bench.measure;

import dev.cove.bench.peer.Peer;
import dev.cove.bench.report.Finding;
import dev.cove.bench.report.Section;
import dev.cove.sdk.Sandbox;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Running {@code true} in a sandbox that already runs. */
final class ExecTrue implements Measurement {
  @Override
  public String name() {
    return "exec";
  }

  @Override
  public String title() {
    return "Exec of true in a running sandbox";
  }

  @Override
  public Section measure(Workbench bench) throws IOException, InterruptedException {
    try (BenchServer server = bench.startServer(Map.of());
        Sandbox sandbox = server.cove().sandboxes().create()) {
      for (int i = 0; i < bench.effort().practice(); i++) {
        execTrue(sandbox);
      }
      var rounds = new Rounds(Duration.ZERO);
      rounds.add("cove", "cove over HTTP", () -> execTrue(sandbox));
      for (Peer peer : bench.peers()) {
        Optional<List<String>> command = peer.startIdle();
        if (command.isPresent()) {
          rounds.add(peer.name(), peer.name() + " exec", () -> Spawning.toExit(command.get()));
        }
      }
      rounds.add(
          "bare",
          "/bin/true in no sandbox (what starting a program costs)",
          () -> Spawning.toExit(List.of("/bin/true")));
      rounds.run(bench.effort().warmUps(), bench.effort().rounds());
      return new Section(name(), title(), List.<Finding>copyOf(rounds.timings()), rounds.notes());
    }
  }

  private static Duration execTrue(Sandbox sandbox) throws IOException {
    var watch = new Stopwatch();
    int exitCode = sandbox.exec("/bin/true").exitCode();
    Duration took = watch.elapsed();
    if (exitCode != 0) {
      throw new IOException("true ended with exit code " + exitCode + ".");
    }
    return took;
  }
}
