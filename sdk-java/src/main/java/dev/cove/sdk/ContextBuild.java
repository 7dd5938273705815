package dev.cove.sdk;

/** What to make of a folder with a Dockerfile. Each method gives a copy. */
public final class ContextBuild {
  private final String query;

  private ContextBuild(String query) {
    this.query = query;
  }

  /**
   * @param name the template's
   */
  public static ContextBuild named(String name) {
    return new ContextBuild("?name=" + Api.encode(name));
  }

  /** Points to the new version from then on; may be said often. Without any it is latest. */
  public ContextBuild tag(String tag) {
    return and("tag", tag);
  }

  /** Where the Dockerfile is in the folder, unless it is called Dockerfile; say it once. */
  public ContextBuild dockerfile(String path) {
    return and("dockerfile", path);
  }

  /** A value for the ARG of that name. */
  public ContextBuild argument(String name, String value) {
    return and("argument", name + "=" + value);
  }

  /** The stage to build, unless it is the last; say it once. */
  public ContextBuild target(String stage) {
    return and("target", stage);
  }

  /** What happens to its sandboxes by themselves, unless it is said otherwise of one. */
  public ContextBuild life(LifeChange life) {
    return and("life", life.toJson());
  }

  /** How much its sandboxes may use, unless it is said when they are made; say it once. */
  public ContextBuild limits(Limits limits) {
    return and("limits", limits.toJson());
  }

  /** Every step is carried out, also those of which it is known what they give. */
  public ContextBuild noCache() {
    return and("noCache", "true");
  }

  /** What its sandboxes may reach unless it is said when they are made; say it once. */
  public ContextBuild network(Network network) {
    return and("network", network.toJson());
  }

  String toQuery() {
    return query;
  }

  private ContextBuild and(String name, String value) {
    return new ContextBuild(query + "&" + name + "=" + Api.encode(value));
  }
}
