package dev.cove.model;

import dev.cove.model.life.LifeRules;
import dev.cove.model.network.NetworkSettings;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * What a sandbox is to be. Only its labels, its network and its life may change later.
 *
 * @param name free text, unique among the sandboxes of its project that exist
 * @param template what its root file system starts from
 * @param tier the isolation boundary asked for; never weakened
 * @param env variables every command in it gets
 * @param volumes what it has mounted, also after a restore; a fork has none of them
 * @param workspaces folders of the host, also after a restore and in a fork
 * @param life what happens to it by itself, where that is said of it and not of its template
 * @param project whose it is
 */
public record SandboxSpec(
    String name,
    SandboxTemplate template,
    Tier tier,
    Resources resources,
    Map<String, String> env,
    Map<String, String> labels,
    List<VolumeMount> volumes,
    List<Workspace> workspaces,
    NetworkSettings network,
    LifeRules life,
    ProjectName project) {
  private static final int MAX_NAME = 128;
  private static final int MAX_ENTRIES = 128;
  private static final int MAX_LABEL_KEY = 128;
  private static final int MAX_LABEL_VALUE = 1_024;
  private static final int MAX_ENV_BYTES = 64 * 1024;
  private static final Pattern ENV_NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,127}");

  public SandboxSpec {
    requireText("name", name, MAX_NAME);
    env = Map.copyOf(env);
    labels = Map.copyOf(labels);
    requireEnv(env);
    requireLabels(labels);
    volumes = List.copyOf(volumes);
    workspaces = List.copyOf(workspaces);
    VolumeMount.requireTogether(volumes);
    Workspace.requireTogether(workspaces, volumes);
    network = network.of(project, name);
  }

  /** A sandbox without volumes, which reaches nothing, of the default project. */
  public SandboxSpec(
      String name,
      SandboxTemplate template,
      Tier tier,
      Resources resources,
      Map<String, String> env,
      Map<String, String> labels) {
    this(
        name,
        template,
        tier,
        resources,
        env,
        labels,
        List.of(),
        List.of(),
        NetworkSettings.NOTHING,
        LifeRules.SILENT,
        ProjectName.DEFAULT);
  }

  public SandboxSpec withName(String newName) {
    return new SandboxSpec(
        newName,
        template,
        tier,
        resources,
        env,
        labels,
        volumes,
        workspaces,
        network,
        life,
        project);
  }

  public SandboxSpec withLabels(Map<String, String> newLabels) {
    return new SandboxSpec(
        name,
        template,
        tier,
        resources,
        env,
        newLabels,
        volumes,
        workspaces,
        network,
        life,
        project);
  }

  public SandboxSpec withVolumes(List<VolumeMount> newVolumes) {
    return new SandboxSpec(
        name,
        template,
        tier,
        resources,
        env,
        labels,
        newVolumes,
        workspaces,
        network,
        life,
        project);
  }

  public SandboxSpec withNetwork(NetworkSettings newNetwork) {
    return new SandboxSpec(
        name,
        template,
        tier,
        resources,
        env,
        labels,
        volumes,
        workspaces,
        newNetwork,
        life,
        project);
  }

  public SandboxSpec withLife(LifeRules newLife) {
    return new SandboxSpec(
        name,
        template,
        tier,
        resources,
        env,
        labels,
        volumes,
        workspaces,
        network,
        newLife,
        project);
  }

  /** Refuses variable names that no shell could set and values that no process could hold. */
  public static void requireEnv(Map<String, String> env) {
    requireAtMost("env", env.size());
    int bytes = 0;
    for (var entry : env.entrySet()) {
      if (!ENV_NAME.matcher(entry.getKey()).matches()) {
        throw new IllegalArgumentException(
            "env has a name that is not letters, digits and _ (at most 128, no digit first)");
      }
      if (entry.getValue().indexOf('\0') >= 0) {
        throw new IllegalArgumentException("env." + entry.getKey() + " contains a NUL character");
      }
      requireUnicode("env." + entry.getKey(), entry.getValue());
      bytes += entry.getKey().length() + entry.getValue().length() + 2;
    }
    if (bytes > MAX_ENV_BYTES) {
      throw new IllegalArgumentException(
          "env holds %d characters, at most %d fit".formatted(bytes, MAX_ENV_BYTES));
    }
  }

  public static void requireLabels(Map<String, String> labels) {
    requireAtMost("labels", labels.size());
    for (var entry : labels.entrySet()) {
      requireText("a label's key", entry.getKey(), MAX_LABEL_KEY);
      if (entry.getValue().length() > MAX_LABEL_VALUE) {
        throw new IllegalArgumentException(
            "labels.%s is longer than %d characters".formatted(entry.getKey(), MAX_LABEL_VALUE));
      }
      requireUnicode("labels." + entry.getKey(), entry.getValue());
    }
  }

  private static void requireAtMost(String what, int size) {
    if (size > MAX_ENTRIES) {
      throw new IllegalArgumentException(
          "%s has %d entries, at most %d are allowed".formatted(what, size, MAX_ENTRIES));
    }
  }

  private static void requireText(String what, String text, int max) {
    if (text.isBlank() || text.length() > max) {
      throw new IllegalArgumentException("%s must be 1 to %d characters".formatted(what, max));
    }
    if (text.chars().anyMatch(Character::isISOControl)) {
      throw new IllegalArgumentException(what + " must not contain control characters");
    }
    requireUnicode(what, text);
  }

  /** A surrogate without its partner has no bytes: it could be neither stored nor handed on. */
  private static void requireUnicode(String what, String text) {
    if (text.codePoints().anyMatch(c -> c >= 0xD800 && c <= 0xDFFF)) {
      throw new IllegalArgumentException(what + " is not valid Unicode");
    }
  }
}
