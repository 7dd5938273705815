package dev.cove.control.template;

import dev.cove.model.LayerId;
import dev.cove.model.ProjectName;
import dev.cove.model.ResourceWish;
import dev.cove.model.SandboxTemplate;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * One version of a template, which never changes.
 *
 * @param number counts from 1 for each name
 * @param origin for people: what it was made of
 */
public record TemplateVersion(
    ProjectName project,
    String name,
    int number,
    String origin,
    Instant createdAt,
    Content content) {
  /**
   * What a sandbox gets of it.
   *
   * @param template its name is not used
   * @param layers the uppermost first
   * @param limits how much it may use, unless it is said when it is made
   */
  public record Content(
      SandboxTemplate template,
      Map<String, String> env,
      List<LayerId> layers,
      Service service,
      ResourceWish limits) {
    public Content {
      env = Map.copyOf(env);
      layers = List.copyOf(layers);
    }
  }

  /**
   * What is started in each sandbox before its owner gets it.
   *
   * @param command empty for nothing
   * @param ready succeeds once the service can be used; empty when it needs no time
   */
  public record Service(List<String> command, List<String> ready) {
    public static final Service NONE = new Service(List.of(), List.of());

    public Service {
      command = List.copyOf(command);
      ready = List.copyOf(ready);
      if (command.isEmpty() && !ready.isEmpty()) {
        throw new IllegalArgumentException("ready needs a start command that it waits for");
      }
    }
  }

  public SandboxTemplate template() {
    return content.template();
  }

  public Map<String, String> env() {
    return content.env();
  }

  public List<LayerId> layers() {
    return content.layers();
  }

  /** How exactly this version is asked for. */
  public String reference() {
    return name + "@" + number;
  }
}
