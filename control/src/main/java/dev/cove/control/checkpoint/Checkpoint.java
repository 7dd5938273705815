package dev.cove.control.checkpoint;

import dev.cove.model.CheckpointId;
import dev.cove.model.LayerId;
import dev.cove.model.ProjectName;
import dev.cove.model.Resources;
import dev.cove.model.SandboxId;
import dev.cove.model.SandboxTemplate;
import dev.cove.model.Tier;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * What a sandbox was at one moment, as far as its files go.
 *
 * @param name free text, may be empty
 * @param layers what its writer had written over the template, the uppermost first
 * @param bytes what the uppermost layer takes on the disk
 * @param frozen for how long the sandbox's processes stood still
 * @param copied whether the layer had to be copied, because programs ran
 */
public record Checkpoint(
    CheckpointId id,
    ProjectName project,
    SandboxId sandbox,
    String name,
    Reason reason,
    Instant createdAt,
    SandboxTemplate template,
    Tier tier,
    Resources resources,
    Map<String, String> env,
    List<LayerId> layers,
    long bytes,
    Duration frozen,
    boolean copied) {
  private static final int MAX_NAME = 128;

  public Checkpoint {
    env = Map.copyOf(env);
    layers = List.copyOf(layers);
  }

  /** Why there is a checkpoint. */
  public enum Reason {
    ASKED,
    BEFORE_RESTORE,
    BEFORE_EXEC,
    SCHEDULED,
    /** Somebody inside the sandbox asked for it. */
    INSIDE,
    /** It came from another machine. */
    IMPORTED;

    /** Nobody asked for it, so it is dropped when there are too many, or it is too old. */
    boolean automatic() {
      return this == BEFORE_EXEC || this == SCHEDULED;
    }

    public String publicName() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    static Optional<Reason> find(String publicName) {
      return Arrays.stream(values()).filter(r -> r.publicName().equals(publicName)).findFirst();
    }
  }

  static void requireName(String name) {
    if (name.length() > MAX_NAME || name.chars().anyMatch(Character::isISOControl)) {
      throw new IllegalArgumentException(
          "A checkpoint's name has at most %d characters and no control characters"
              .formatted(MAX_NAME));
    }
  }
}
