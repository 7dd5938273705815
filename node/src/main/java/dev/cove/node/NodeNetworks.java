package dev.cove.node;

import dev.cove.model.CoveException;
import dev.cove.model.ProjectName;
import dev.cove.model.SandboxId;
import dev.cove.model.network.Answer;
import dev.cove.model.network.Destination;
import dev.cove.model.network.Explanation;
import dev.cove.model.network.LoggedDecision;
import dev.cove.model.network.NetworkLimits;
import dev.cove.model.network.NetworkSettings;
import dev.cove.model.network.Question;
import java.time.LocalDate;
import java.util.List;
import java.util.OptionalLong;

/** What sandboxes of a node may reach, and what they tried. */
public interface NodeNetworks {
  /**
   * Changes what a sandbox may reach: what is open and not allowed any more is cut before this
   * returns. Does nothing if the sandbox does not run.
   */
  void change(SandboxId id, NetworkSettings settings);

  /** How much of the network any sandbox may have. */
  NetworkLimits most();

  /**
   * How many bytes the sandboxes of a project may send and receive together in each day of UTC.
   * When they have, what is open is cut and nothing new begins, until the next day or a higher
   * limit.
   *
   * @param bytesPerDay empty for as many as they like
   */
  void limit(ProjectName project, OptionalLong bytesPerDay);

  /** Counts for that day what had passed before this node was there to count it. */
  void passedBefore(ProjectName project, LocalDate day, long bytes);

  /** How many bytes the sandboxes of a project have sent and received together today. */
  long bytesToday(ProjectName project);

  /**
   * Makes a running sandbox ready for settings that {@link #change} is to bring: where they need
   * TLS to be ended, its programs come to trust its own certificate authority. Does nothing if the
   * sandbox does not run.
   *
   * @throws CoveException GUEST_REFUSED when its files do not allow it
   */
  void prepare(SandboxId id, NetworkSettings settings);

  /**
   * The last decisions, the newest last; those before the server's start are not known.
   *
   * @throws CoveException CONFLICT when it does not run
   */
  List<LoggedDecision> log(SandboxId id);

  /**
   * What would become of a connection now.
   *
   * @throws CoveException CONFLICT when it does not run
   */
  Explanation explain(SandboxId id, Destination destination);

  /** What waits for the owner's answer. */
  List<Question> questions(SandboxId id);

  /**
   * @return whether the question was still open
   */
  boolean answer(SandboxId id, String question, Answer answer);
}
