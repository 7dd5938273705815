package dev.cove.control.volume;

import dev.cove.model.ProjectName;
import dev.cove.model.VolumeId;
import java.time.Instant;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A volume as the ledger knows it.
 *
 * @param name unique in its project; a checkpoint has none
 * @param parent the volume whose files it began with
 */
public record Volume(
    VolumeId id,
    ProjectName project,
    Kind kind,
    Optional<String> name,
    int sizeMb,
    Instant createdAt,
    Optional<VolumeId> parent) {
  /** The smallest that has room for its journal. */
  public static final int MIN_MB = 16;

  public static final int MAX_MB = 16_777_216;

  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,62}");

  /** The lower-case name is what API and ledger use. */
  public enum Kind {
    VOLUME,
    /** Never changes, and so is only mounted read-only. */
    CHECKPOINT;

    public String publicName() {
      return this == VOLUME ? "volume" : "checkpoint";
    }
  }

  /** Names must fit between the colons of {@code NAME:/path:ro} and never look like an id. */
  static void requireName(String name) {
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "A volume's name is 1 to 63 letters, digits, . _ or -, and begins with a letter or"
              + " digit");
    }
    if (VolumeId.isValid(name)) {
      throw new IllegalArgumentException("The name looks like the id of a volume; choose another");
    }
  }

  static void requireSize(int sizeMb) {
    if (sizeMb < MIN_MB || sizeMb > MAX_MB) {
      throw new IllegalArgumentException(
          "sizeMb must be between %d and %d, was %d".formatted(MIN_MB, MAX_MB, sizeMb));
    }
  }

  /** For people. */
  String words() {
    return kind == Kind.CHECKPOINT ? "Checkpoint " + id : "Volume " + name.orElse(id.value());
  }
}
