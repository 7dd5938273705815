package dev.cove.edge.e2b.secret;

import dev.cove.control.key.DerivedSecrets;
import dev.cove.control.project.Project;
import dev.cove.control.project.Projects;
import dev.cove.control.project.Scope;
import dev.cove.control.sandbox.SandboxLifecycle;
import dev.cove.model.secret.SecretName;
import dev.cove.node.NodeSecrets;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Supplier;

/**
 * Values that callers write into their rules as they are. Each is kept in the vault, under a name
 * that follows from it, for as long as a sandbox has it bound; so it is in no ledger, and never
 * told.
 */
public final class RuleValues {
  private static final String PREFIX = "E2BV_";

  private final NodeSecrets secrets;
  private final DerivedSecrets names;
  private final SandboxLifecycle lifecycle;
  private final Projects projects;

  /** Whoever is about to bind a value reads; whoever removes those that nobody has bound writes. */
  private final ReentrantReadWriteLock binding = new ReentrantReadWriteLock();

  public RuleValues(
      NodeSecrets secrets, DerivedSecrets names, SandboxLifecycle lifecycle, Projects projects) {
    this.secrets = secrets;
    this.names = names;
    this.lifecycle = lifecycle;
    this.projects = projects;
    lifecycle.whenGone(_ -> sweepSoon());
  }

  static boolean isOne(SecretName name) {
    return name.value().startsWith(PREFIX);
  }

  /** Does something that keeps values and binds them; none of them goes in between. */
  public <T> T binding(Supplier<T> work) {
    binding.readLock().lock();
    try {
      return work.get();
    } finally {
      binding.readLock().unlock();
    }
  }

  /** What a value is called; it is kept from now on. */
  SecretName keep(String value) {
    String derived = names.of("rule:" + Scope.here() + ":" + value).toUpperCase(Locale.ROOT);
    var name = new SecretName(Scope.here(), PREFIX + derived);
    if (!secrets.has(name)) {
      secrets.set(name, value.getBytes(StandardCharsets.UTF_8));
    }
    return name;
  }

  /** Whoever tells of a sandbox's end is not to wait for this. */
  public void sweepSoon() {
    Thread.ofVirtual().name("e2b-rule-values").start(this::sweep);
  }

  private void sweep() {
    if (!binding.writeLock().tryLock()) {
      return; // somebody binds just now; the next end comes
    }
    try {
      Set<SecretName> bound = lifecycle.boundSecrets();
      for (Project project : projects.list()) {
        secrets.list(project.name()).stream()
            .map(NodeSecrets.Kept::name)
            .filter(name -> isOne(name) && !bound.contains(name))
            .forEach(secrets::remove);
      }
    } finally {
      binding.writeLock().unlock();
    }
  }
}
