package dev.cove.model.network;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Hosts that are often wanted together. All of them over TLS, and Debian's also without. */
public enum Preset {
  /** Where package managers get their packages. */
  PACKAGES(
      """
      deb.debian.org:443
      deb.debian.org:80
      security.debian.org:443
      security.debian.org:80
      archive.ubuntu.com:443
      archive.ubuntu.com:80
      security.ubuntu.com:443
      security.ubuntu.com:80
      registry.npmjs.org:443
      registry.yarnpkg.com:443
      pypi.org:443
      files.pythonhosted.org:443
      crates.io:443
      index.crates.io:443
      static.crates.io:443
      proxy.golang.org:443
      sum.golang.org:443
      repo.maven.apache.org:443
      repo1.maven.org:443
      plugins.gradle.org:443
      rubygems.org:443
      index.rubygems.org:443
      """),
  /** The interfaces of language models. */
  LLM(
      """
      api.anthropic.com:443
      api.openai.com:443
      generativelanguage.googleapis.com:443
      api.mistral.ai:443
      api.deepseek.com:443
      api.x.ai:443
      api.groq.com:443
      api.together.xyz:443
      openrouter.ai:443
      """),
  /** Where source code is kept. */
  GIT(
      """
      github.com:443
      github.com:22
      api.github.com:443
      codeload.github.com:443
      raw.githubusercontent.com:443
      objects.githubusercontent.com:443
      gitlab.com:443
      gitlab.com:22
      bitbucket.org:443
      bitbucket.org:22
      codeberg.org:443
      codeberg.org:22
      """);

  private static final Map<Preset, List<NetworkRule>> RULES = new EnumMap<>(Preset.class);

  static {
    for (Preset preset : values()) {
      RULES.put(preset, preset.hosts.lines().map(NetworkRule::of).toList());
    }
  }

  private final String hosts;

  Preset(String hosts) {
    this.hosts = hosts;
  }

  public List<NetworkRule> rules() {
    return RULES.getOrDefault(this, List.of());
  }

  public String publicName() {
    return name().toLowerCase(Locale.ROOT);
  }

  public static List<String> names() {
    return Arrays.stream(values()).map(Preset::publicName).toList();
  }

  public static Optional<Preset> find(String publicName) {
    return Arrays.stream(values())
        .filter(preset -> preset.publicName().equals(publicName))
        .findFirst();
  }
}
