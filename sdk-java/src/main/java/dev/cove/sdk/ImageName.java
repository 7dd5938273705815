package dev.cove.sdk;

/** How an image of a registry is called as a template, once it has become one. */
final class ImageName {
  private static final String DOCKER = "docker.io";

  private ImageName() {}

  /** For {@code alpine} it is {@code docker.io/library/alpine:latest}. */
  static String toTemplate(String image) {
    int at = image.indexOf('@');
    String tagged = at < 0 ? image : image.substring(0, at);
    // A colon before the last slash belongs to a registry's port.
    int colon = tagged.indexOf(':', tagged.lastIndexOf('/') + 1);
    String path = colon < 0 ? tagged : tagged.substring(0, colon);
    String tag = colon < 0 ? "latest" : tagged.substring(colon + 1);
    return full(path) + ":" + (at < 0 ? tag : image.substring(at + 1).replace(':', '-'));
  }

  private static String full(String path) {
    int slash = path.indexOf('/');
    String first = slash < 0 ? "" : path.substring(0, slash);
    boolean named = first.contains(".") || first.contains(":") || first.equals("localhost");
    String registry = named ? first : DOCKER;
    String repository = named ? path.substring(slash + 1) : path;
    boolean official = registry.equals(DOCKER) && !repository.contains("/");
    return registry + (official ? "/library/" : "/") + repository;
  }
}
