package dev.cove.sdk;

import java.util.List;

/** Which changes are of interest. Each method gives a copy. */
public final class ChangeQuery {
  private final String parameters;

  private ChangeQuery(String parameters) {
    this.parameters = parameters;
  }

  public static ChangeQuery all() {
    return new ChangeQuery("");
  }

  private ChangeQuery and(String name, String value) {
    String separator = parameters.isEmpty() ? "?" : "&";
    return new ChangeQuery(parameters + separator + name + "=" + Api.encode(value));
  }

  /** Those in one project, by its target. */
  public ChangeQuery project(String target) {
    return and("project", target);
  }

  /** Those at, and below, any of these paths. */
  public ChangeQuery paths(List<String> paths) {
    ChangeQuery query = this;
    for (String path : paths) {
      query = query.and("path", path);
    }
    return query;
  }

  public ChangeQuery limit(int most) {
    return and("limit", Integer.toString(most));
  }

  /** Those that follow a page, by its {@link ChangePage#next}. */
  public ChangeQuery after(String next) {
    return and("after", next);
  }

  /** Those since before that command, by its number. */
  public ChangeQuery from(int command) {
    return and("from", Integer.toString(command));
  }

  /** Those up to before that command; up to now where nothing is said. */
  public ChangeQuery to(int command) {
    return and("to", Integer.toString(command));
  }

  String parameters() {
    return parameters;
  }
}
