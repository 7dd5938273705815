package dev.cove.edge.e2b.sandbox;

import dev.cove.control.checkpoint.Checkpoint;
import dev.cove.control.checkpoint.Checkpoints;
import dev.cove.model.CheckpointId;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Checkpoints that somebody asked for, by the names that E2B's clients give them. */
public final class Snapshots {
  private static final String DEFAULT_TAG = ":default";

  private final Checkpoints checkpoints;

  public Snapshots(Checkpoints checkpoints) {
    this.checkpoints = checkpoints;
  }

  /** By its id, or the newest of a name. */
  Optional<Checkpoint> find(String asked) {
    String wanted =
        asked.endsWith(DEFAULT_TAG)
            ? asked.substring(0, asked.length() - DEFAULT_TAG.length())
            : asked;
    boolean byId = CheckpointId.isValid(wanted);
    return newestFirst().stream()
        .filter(one -> byId ? one.id().value().equals(wanted) : one.name().equals(wanted))
        .filter(one -> byId || !one.name().isEmpty())
        .findFirst();
  }

  List<Checkpoint> newestFirst() {
    return checkpoints.list().stream()
        .filter(one -> one.reason() == Checkpoint.Reason.ASKED)
        .sorted(
            Comparator.comparing(Checkpoint::createdAt).thenComparing(Checkpoint::id).reversed())
        .toList();
  }

  /**
   * @return false when there is none
   */
  public boolean delete(String asked) {
    Optional<Checkpoint> found = find(asked);
    found.ifPresent(snapshot -> checkpoints.delete(snapshot.id().value()));
    return found.isPresent();
  }
}
