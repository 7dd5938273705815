package dev.cove.edge.http;

/** A header or trailer as it stands in a message. */
public record HeaderField(String name, String value) {
  public boolean is(String other) {
    return name.equalsIgnoreCase(other);
  }
}
