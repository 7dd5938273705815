package dev.cove.egress.intake;

import dev.cove.egress.ask.Questions;
import dev.cove.egress.ask.Reply;
import dev.cove.egress.decision.Decider;
import dev.cove.egress.relay.Connection;
import dev.cove.egress.relay.Right;
import dev.cove.model.SandboxId;
import dev.cove.model.network.Destination;
import dev.cove.model.network.NetworkRule.Request;
import dev.cove.model.network.Verdict;
import dev.cove.model.network.Verdict.Outcome;
import java.util.List;

/** What rules and the owner's answers come to. */
public final class Grants {
  /** After this many changes of policy while one connection waits it has waited long enough. */
  private static final int MAX_TURNS = 16;

  /** A verdict that is final, and whether the owner gave it. */
  record Grant(Verdict verdict, boolean answered) {}

  private final Decider decider;
  private final Questions questions;

  public Grants(Decider decider, Questions questions) {
    this.decider = decider;
    this.questions = questions;
  }

  /** Waits for the owner where he is to be asked. The verdict is never to ask. */
  Grant decide(Destination destination) throws InterruptedException {
    for (int turn = 0; turn < MAX_TURNS; turn++) {
      Verdict verdict = decider.decide(destination);
      if (verdict.outcome() != Outcome.ASK) {
        return new Grant(verdict, false);
      }
      Reply reply = questions.ask(destination);
      if (reply == Reply.YES) {
        return new Grant(new Verdict(Outcome.ALLOWED, reply.rule()), true);
      }
      if (reply != Reply.DECIDE_AGAIN) {
        return new Grant(new Verdict(Outcome.DENIED, reply.rule()), false);
      }
    }
    return new Grant(new Verdict(Outcome.DENIED, Reply.UNANSWERED.rule()), false);
  }

  /** One request over a connection that is there by that right. */
  Verdict decide(Right right, Request request) {
    Verdict verdict = decider.decide(right.destination(), request);
    return verdict.outcome() == Outcome.ASK && isAnswered(right)
        ? new Verdict(Outcome.ALLOWED, Reply.YES.rule())
        : verdict;
  }

  private boolean isAnswered(Right right) {
    return right.answered() || questions.isGranted(right.destination());
  }

  /** Whether what was granted to a connection would be granted now. */
  public boolean stillHold(Connection connection) {
    return connection.right().map(right -> stillHolds(right, connection)).orElse(true);
  }

  /** A name may have come to mean another than the one that the connection was made to. */
  private boolean stillHolds(Right right, Connection connection) {
    Destination destination = right.destination();
    if (connection.entered().isPresent()) {
      SandboxId there = connection.entered().get().id();
      return decider.peer(destination).filter(now -> now.id().equals(there)).isPresent()
          && holds(right, decider.decide(destination));
    }
    if (connection.dialled().isPresent()) {
      return holds(right, decider.decideOutside(destination))
          && decider.objection(destination, connection.dialled().get(), List.of()).isEmpty();
    }
    return holds(right, decider.decide(destination));
  }

  private boolean holds(Right right, Verdict now) {
    return switch (now.outcome()) {
      case ALLOWED -> true;
      case DENIED -> false;
      case ASK -> isAnswered(right);
      case BY_REQUEST -> right.byRequest();
    };
  }
}
