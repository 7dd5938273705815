package dev.cove.bench.measure;

import dev.cove.bench.peer.Peer;
import dev.cove.bench.report.Finding;
import dev.cove.bench.report.Section;
import dev.cove.sdk.Checkpoint;
import dev.cove.sdk.Cove;
import dev.cove.sdk.CreateOptions;
import dev.cove.sdk.Sandbox;
import dev.cove.sdk.TierInfo;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Each tier that this machine has: create to first output, and going on from a checkpoint. */
final class Tiers implements Measurement {
  private static final Duration SETTLING = Duration.ofMillis(100);
  private static final int FEWER = 5;

  @Override
  public String name() {
    return "tiers";
  }

  @Override
  public String title() {
    return "Each tier: create to first output, without warm cages";
  }

  @Override
  public Section measure(Workbench bench) throws IOException, InterruptedException {
    var notes = new ArrayList<String>();
    try (BenchServer server =
        bench.startServer(Map.of("COVE_POOL_SIZE", "0", "COVE_STRONG_POOL_SIZE", "0"))) {
      Cove cove = server.cove();
      var rounds = new Rounds(SETTLING);
      for (TierInfo tier : cove.tiers()) {
        if (!tier.usable()) {
          notes.add(tier.tier() + " is not here: " + tier.obstacles().orElse(""));
          continue;
        }
        notes.add(tier.tier() + ": " + tier.boundary().by());
        CreateOptions fresh = CreateOptions.defaults().tier(tier.tier());
        rounds.add(
            tier.tier(), "cove create and exec, tier " + tier.tier(), () -> echo(cove, fresh));
        Checkpoint prepared = prepared(cove, fresh);
        CreateOptions again = CreateOptions.defaults().checkpoint(prepared.id());
        rounds.add(
            tier.tier() + "-checkpoint",
            "the same from a checkpoint, tier " + tier.tier(),
            () -> echo(cove, again));
      }
      for (Peer peer : bench.peers()) {
        if (peer.name().equals("runsc")) {
          rounds.add(peer.name(), peer.runLabel(), () -> Spawning.toFirstOutput(peer.runCommand()));
        }
      }
      rounds.run(bench.effort().warmUps(), Math.max(FEWER, bench.effort().rounds() / FEWER));
      notes.addAll(rounds.notes());
      return new Section(name(), title(), List.<Finding>copyOf(rounds.timings()), notes);
    }
  }

  private static Checkpoint prepared(Cove cove, CreateOptions options) throws IOException {
    try (Sandbox box = cove.sandboxes().create(options)) {
      box.files().write("/home/user/prepared", "yes");
      return box.checkpoint();
    }
  }

  private static Duration echo(Cove cove, CreateOptions options) throws IOException {
    var watch = new Stopwatch();
    try (Sandbox sandbox = cove.sandboxes().create(options)) {
      String output = sandbox.exec("/bin/echo", "hello").stdout();
      Duration took = watch.elapsed();
      if (!output.equals("hello\n")) {
        throw new IOException("The sandbox printed \"" + output + "\" instead of hello.");
      }
      return took;
    }
  }
}
