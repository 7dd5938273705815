package dev.cove.control.key;

/** A new key with its secret, which can be read here and never again. */
public record Issued(ApiKey key, String secret) {
  @Override
  public String toString() {
    return "Issued[key=" + key + ", secret=hidden]";
  }
}
