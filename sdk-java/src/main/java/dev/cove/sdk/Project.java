package dev.cove.sdk;

import dev.cove.sdk.json.JsonObject;
import dev.cove.sdk.json.JsonValue;
import java.util.List;
import java.util.Optional;

/**
 * A folder of the server's host that a sandbox sees as if it could write there. The folder itself
 * stays as it is until changes are applied to it. Only an operator's key may name one.
 *
 * @param path on the server's host, absolute and without links
 * @param target where the sandbox has it; below its home where nothing is said
 * @param hide patterns of what the sandbox must not see, besides the usual ones
 * @param show patterns of what it may see all the same
 */
public record Project(
    String path, Optional<String> target, boolean readOnly, List<String> hide, List<String> show) {
  public Project {
    hide = List.copyOf(hide);
    show = List.copyOf(show);
  }

  public static Project of(String path) {
    return new Project(path, Optional.empty(), false, List.of(), List.of());
  }

  public Project target(String folder) {
    return new Project(path, Optional.of(folder), readOnly, hide, show);
  }

  public Project asReadOnly() {
    return new Project(path, target, true, hide, show);
  }

  public Project hide(List<String> patterns) {
    return new Project(path, target, readOnly, patterns, show);
  }

  public Project show(List<String> patterns) {
    return new Project(path, target, readOnly, hide, patterns);
  }

  JsonObject toBody() {
    var json = JsonObject.builder().put("path", path).put("readOnly", readOnly);
    target.ifPresent(folder -> json.put("target", folder));
    return json.put("hide", JsonValue.ofTexts(hide)).put("show", JsonValue.ofTexts(show)).build();
  }
}
