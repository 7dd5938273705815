package dev.cove.cli;

import java.util.ArrayList;
import java.util.List;

/** What a template is to be called, as {@code -t} says it. */
record TemplateTags(String name, List<String> tags) {
  private static final String LATEST = "latest";

  /** Of {@code name} and {@code name:tag}; the name alone means latest. */
  static TemplateTags of(List<String> words) {
    var tags = new ArrayList<String>();
    String name = "";
    for (String word : words) {
      // A colon before the last slash belongs to a registry's port.
      int colon = word.indexOf(':', word.lastIndexOf('/') + 1);
      String called = colon < 0 ? word : word.substring(0, colon);
      if (!name.isEmpty() && !name.equals(called)) {
        throw new Misuse(
            "A build makes one template: '%s' and '%s' are two".formatted(name, called));
      }
      name = called;
      tags.add(colon < 0 ? LATEST : word.substring(colon + 1));
    }
    return new TemplateTags(name, List.copyOf(tags));
  }
}
