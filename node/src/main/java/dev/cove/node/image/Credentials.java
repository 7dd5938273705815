package dev.cove.node.image;

import java.nio.charset.StandardCharsets;
import java.util.Base64;

/** What a registry knows its user by. Never written anywhere. */
public record Credentials(String user, String password) {
  String basic() {
    byte[] pair = (user + ":" + password).getBytes(StandardCharsets.UTF_8);
    return "Basic " + Base64.getEncoder().encodeToString(pair);
  }

  @Override
  public String toString() {
    return "credentials of " + user;
  }
}
