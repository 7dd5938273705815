package dev.cove.control.sandbox;

import dev.cove.control.layer.Layers;
import dev.cove.control.ledger.Ledger;
import dev.cove.control.log.SandboxLogs;
import dev.cove.control.service.ServiceLimits;
import dev.cove.control.service.Services;
import dev.cove.control.template.Catalogue;
import dev.cove.control.volume.Volumes;
import dev.cove.model.ResourceWish;
import dev.cove.model.boundary.TierWish;
import dev.cove.model.life.LifeRules;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A lifecycle on a real ledger and a {@link FakeNode}; can be restarted. */
final class ControlPlane implements AutoCloseable {
  final FakeNode node = new FakeNode();
  final MovableClock clock = new MovableClock();
  private final Path file;
  Ledger ledger;
  SandboxLifecycle lifecycle;
  Volumes volumes;
  LifeRules usual = LifeRules.SILENT;
  Duration kept = Duration.ZERO;

  ControlPlane(Path folder) {
    file = folder.resolve("ledger.db");
    ledger = Ledger.open(file);
    volumes = new Volumes(ledger, node.volumes(), clock);
    lifecycle = recover("boot-1");
  }

  private SandboxLifecycle recover(String bootId) {
    return SandboxLifecycle.recover(ledger, world(), bootId);
  }

  void restart() {
    restart("boot-1");
  }

  void restart(String bootId) {
    close();
    ledger = Ledger.open(file);
    volumes = new Volumes(ledger, node.volumes(), clock);
    lifecycle = recover(bootId);
  }

  Sandbox create() {
    return lifecycle.create(request()).sandbox();
  }

  Sandbox create(String name) {
    return lifecycle.create(named(name)).sandbox();
  }

  private Making.World world() {
    var logs = new SandboxLogs(file.resolveSibling("logs"), 1 << 20, clock);
    var limits = ServiceLimits.beginningWith(Duration.ofMillis(10));
    var services = new Services(ledger, node, logs, limits, clock);
    return new Making.World(node, templates(), volumes, usual, services, kept, clock);
  }

  private Catalogue templates() {
    return new Catalogue(ledger, new Layers(node), clock);
  }

  Clock clock() {
    return clock;
  }

  @Override
  public void close() {
    lifecycle.close();
    ledger.close();
  }

  static CreateSandbox request() {
    return request(Optional.empty(), Map.of(), Map.of(), Optional.empty());
  }

  static CreateSandbox named(String name) {
    return request(Optional.of(name), Map.of(), Map.of(), Optional.empty());
  }

  static CreateSandbox labelled(Map<String, String> labels) {
    return request(Optional.empty(), Map.of(), labels, Optional.empty());
  }

  static CreateSandbox repeatable(String key) {
    return request(Optional.empty(), Map.of(), Map.of(), Optional.of(key));
  }

  static CreateSandbox request(
      Optional<String> name,
      Map<String, String> env,
      Map<String, String> labels,
      Optional<String> key) {
    return new CreateSandbox(
        name,
        "host",
        TierWish.ANY,
        ResourceWish.NOTHING,
        env,
        labels,
        List.of(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        LifeRules.SILENT,
        List.of(),
        Optional.empty(),
        key);
  }
}
