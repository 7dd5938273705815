package dev.cove.node.image;

import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Where an image is: {@code [registry/]repository[:tag][@digest]}, with the short forms that people
 * know from Docker.
 */
public record ImageReference(
    String registry, String repository, String tag, Optional<Digest> digest) {
  private static final String DOCKER = "docker.io";
  private static final int MAX_LENGTH = 512;
  private static final Pattern REGISTRY =
      Pattern.compile("[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?(?::[0-9]{1,5})?");
  private static final Pattern REPOSITORY =
      Pattern.compile(
          "[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*(?:/[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*)*");
  private static final Pattern SHAPE =
      Pattern.compile(
          "([^@]+?)(?::([A-Za-z0-9_][A-Za-z0-9_.-]{0,127}))?(?:@(sha256:[0-9a-f]{64}))?");

  /**
   * @throws IllegalArgumentException saying what a reference looks like
   */
  public static ImageReference parse(String text) {
    Matcher parts = SHAPE.matcher(text);
    if (text.length() > MAX_LENGTH || !parts.matches()) {
      throw malformed();
    }
    String path = parts.group(1);
    int slash = path.indexOf('/');
    String first = slash < 0 ? "" : path.substring(0, slash);
    boolean named = first.contains(".") || first.contains(":") || first.equals("localhost");
    String registry = named ? first.toLowerCase(Locale.ROOT) : DOCKER;
    String repository = named ? path.substring(slash + 1) : path;
    if (registry.equals(DOCKER) && !repository.contains("/")) {
      repository = "library/" + repository;
    }
    if (!REGISTRY.matcher(registry).matches() || !REPOSITORY.matcher(repository).matches()) {
      throw malformed();
    }
    String tag = parts.group(2);
    return new ImageReference(
        registry,
        repository,
        tag == null ? "latest" : tag,
        Optional.ofNullable(parts.group(3)).map(Digest::new));
  }

  private static IllegalArgumentException malformed() {
    return new IllegalArgumentException(
        "An image is written [registry/]repository[:tag][@sha256:digest], in lower case");
  }

  /** How its manifest is asked for. */
  String wanted() {
    return digest.map(Digest::text).orElse(tag);
  }

  /** The host that answers for the registry. */
  String host() {
    return registry.equals(DOCKER) ? "registry-1.docker.io" : registry;
  }

  /** The same without tag and digest. */
  public String name() {
    return registry + "/" + repository;
  }

  @Override
  public String toString() {
    return name() + ":" + tag + digest.map(d -> "@" + d).orElse("");
  }
}
