package dev.cove.control.build;

import dev.cove.model.Base;
import dev.cove.model.ResourceWish;
import dev.cove.model.SandboxTemplate;
import dev.cove.model.life.LifeRules;
import dev.cove.model.network.NetworkSettings;
import dev.cove.node.image.ImageConfig;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What commands get: who runs them, where, with which variables, and which one runs of itself.
 *
 * @param cwd absolute, or empty for the user's home
 */
record Settings(
    String user,
    String cwd,
    Map<String, String> env,
    List<String> entrypoint,
    List<String> command,
    Optional<NetworkSettings> network,
    LifeRules life,
    ResourceWish limits) {
  static final Settings NONE = new Settings("root", "", Map.of(), List.of(), List.of());

  /** Settings that say nothing about networks, lives and limits. */
  Settings(
      String user,
      String cwd,
      Map<String, String> env,
      List<String> entrypoint,
      List<String> command) {
    this(
        user,
        cwd,
        env,
        entrypoint,
        command,
        Optional.empty(),
        LifeRules.SILENT,
        ResourceWish.NOTHING);
  }

  Settings {
    env = Map.copyOf(env);
    entrypoint = List.copyOf(entrypoint);
    command = List.copyOf(command);
  }

  static Settings of(ImageConfig config) {
    return new Settings(
        user(config.user()), config.cwd(), config.env(), config.entrypoint(), config.command());
  }

  static Settings of(SandboxTemplate template, Map<String, String> env) {
    return new Settings(
        template.user(),
        template.cwd(),
        env,
        template.entrypoint(),
        List.of(),
        template.network(),
        template.life(),
        ResourceWish.NOTHING);
  }

  /** Without the group, which is that of the user's own entry. */
  private static String user(String text) {
    String name = text.split(":", 2)[0];
    return name.isEmpty() ? "root" : name;
  }

  Settings withUser(String newUser) {
    return new Settings(user(newUser), cwd, env, entrypoint, command, network, life, limits);
  }

  Settings withCwd(String newCwd) {
    return new Settings(user, newCwd, env, entrypoint, command, network, life, limits);
  }

  Settings withEnv(Map<String, String> more) {
    var both = new HashMap<>(env);
    both.putAll(more);
    return new Settings(user, cwd, both, entrypoint, command, network, life, limits);
  }

  /** A new entry point drops the arguments that were meant for the one before. */
  Settings withEntrypoint(List<String> argv) {
    return new Settings(user, cwd, env, argv, List.of(), network, life, limits);
  }

  Settings withCommand(List<String> argv) {
    return new Settings(user, cwd, env, entrypoint, argv, network, life, limits);
  }

  Settings withNetwork(NetworkSettings newNetwork) {
    return new Settings(user, cwd, env, entrypoint, command, Optional.of(newNetwork), life, limits);
  }

  /** What is said of a template's base holds where nothing is said of the template. */
  Settings withLife(LifeRules nearer) {
    return new Settings(user, cwd, env, entrypoint, command, network, nearer.over(life), limits);
  }

  /** The same holds for limits. */
  Settings withLimits(ResourceWish nearer) {
    return new Settings(user, cwd, env, entrypoint, command, network, life, nearer.over(limits));
  }

  SandboxTemplate template(String name, Base base) {
    List<String> all = new ArrayList<>(entrypoint);
    all.addAll(command);
    return new SandboxTemplate(name, base, user, cwd, all, network, life);
  }
}
