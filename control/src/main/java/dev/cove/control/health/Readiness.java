package dev.cove.control.health;

import dev.cove.control.ledger.Ledger;
import dev.cove.node.Node;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks the parts of the server how they are: whenever somebody wants to know, and now and then by
 * itself, so that the log has a line when one falls ill and one when it is well again.
 */
public final class Readiness implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Readiness.class);
  private static final Duration INTERVAL = Duration.ofSeconds(2);

  private final List<Part> parts;
  private final Map<String, String> unwell = new HashMap<>();
  private final Thread thread;

  private Readiness(List<Part> parts) {
    this.parts = List.copyOf(parts);
    this.thread = Thread.ofVirtual().name("readiness").unstarted(this::watch);
  }

  /**
   * @param diskReserve below which nothing is made that takes room
   */
  public static Readiness watch(Ledger ledger, Node node, long diskReserve) {
    var readiness =
        new Readiness(
            List.of(
                new Part("ledger", ledger::fault),
                new Part("node", () -> NodeHealth.complaint(node)),
                new Part("disk", () -> NodeHealth.diskComplaint(node, diskReserve)),
                ProcessLimits.descriptors(),
                ProcessLimits.threads()));
    readiness.thread.start();
    return readiness;
  }

  /** What one part says of itself. */
  public record Finding(String part, Optional<String> complaint) {
    public boolean well() {
      return complaint.isEmpty();
    }
  }

  public synchronized List<Finding> look() {
    List<Finding> findings =
        parts.stream().map(part -> new Finding(part.name(), part.complaint().get())).toList();
    findings.forEach(this::tell);
    return findings;
  }

  /** Once for each time, however its words change while it lasts. */
  private void tell(Finding finding) {
    if (finding.well()) {
      if (unwell.remove(finding.part()) != null) {
        log.info("{}: well again", finding.part());
      }
    } else if (unwell.put(finding.part(), finding.complaint().get()) == null) {
      log.warn("{}: {}", finding.part(), finding.complaint().get());
    }
  }

  private void watch() {
    try {
      while (true) {
        Thread.sleep(INTERVAL);
        look();
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt(); // closed
    }
  }

  @Override
  public void close() {
    thread.interrupt();
    try {
      thread.join();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }
}
