package dev.cove.egress.ask;

import dev.cove.model.network.Destination;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * What one sandbox's owner is being asked. Connections to the same destination share a question.
 */
public final class Questions implements AutoCloseable {
  private static final int MAX_REMEMBERED = 1_024;
  private static final SecureRandom RANDOM = new SecureRandom();

  /** The id is not a number in a row: an answer that comes late must not meet another question. */
  private static final class Open {
    final String id = randomId();
    final Instant since = Instant.now();
    final Destination destination;
    final CompletableFuture<Reply> reply = new CompletableFuture<>();
    int waiting;

    Open(Destination destination) {
      this.destination = destination;
    }

    Question now() {
      return new Question(id, destination, since, waiting);
    }

    private static String randomId() {
      byte[] bytes = new byte[6];
      RANDOM.nextBytes(bytes);
      return HexFormat.of().formatHex(bytes);
    }
  }

  private final int maxWaiting;
  private final Duration patience;
  private final Consumer<Question> onNew;
  private final Map<Destination, Open> open = new LinkedHashMap<>();
  private final Map<Destination, Boolean> remembered = new HashMap<>();
  private int waiting;
  private boolean attended = true;

  public Questions(int maxWaiting, Duration patience, Consumer<Question> onNew) {
    this.maxWaiting = maxWaiting;
    this.patience = patience;
    this.onNew = onNew;
  }

  /** Waits for the owner, but not for long. */
  public Reply ask(Destination destination) throws InterruptedException {
    Open question;
    Optional<Question> fresh = Optional.empty();
    synchronized (this) {
      Boolean known = remembered.get(destination);
      if (known != null) {
        return known ? Reply.YES : Reply.NO;
      }
      if (!attended) {
        return Reply.UNATTENDED;
      }
      if (waiting >= maxWaiting) {
        return Reply.CROWDED;
      }
      question = open.computeIfAbsent(destination, Open::new);
      waiting++;
      if (question.waiting++ == 0) {
        fresh = Optional.of(question.now());
      }
    }
    try {
      fresh.ifPresent(onNew);
      return question.reply.get(patience.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      return Reply.UNANSWERED;
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    } finally {
      leave(question);
    }
  }

  private synchronized void leave(Open question) {
    waiting--;
    if (--question.waiting == 0) {
      open.remove(question.destination, question);
    }
  }

  public synchronized List<Question> asked() {
    return open.values().stream().map(Open::now).toList();
  }

  /** What the answer was for; nothing when the question is not open any more. */
  public synchronized Optional<Destination> answer(String id, Answer answer) {
    Optional<Open> found =
        open.values().stream().filter(question -> question.id.equals(id)).findFirst();
    found.ifPresent(question -> settle(question, answer));
    return found.map(question -> question.destination);
  }

  private void settle(Open question, Answer answer) {
    boolean yes = answer != Answer.NO;
    if (answer != Answer.ONCE && remembered.size() < MAX_REMEMBERED) {
      remembered.put(question.destination, yes);
    }
    close(question, yes ? Reply.YES : Reply.NO);
  }

  /** Whoever asks from now on asks anew. */
  private void close(Open question, Reply reply) {
    open.remove(question.destination, question);
    question.reply.complete(reply);
  }

  public synchronized boolean isGranted(Destination destination) {
    return remembered.getOrDefault(destination, false);
  }

  /** Sends those away to be decided anew who no longer need an answer. */
  public synchronized void reconsider(Predicate<Destination> stillAsks) {
    for (Open question : List.copyOf(open.values())) {
      if (!stillAsks.test(question.destination)) {
        close(question, Reply.DECIDE_AGAIN);
      }
    }
  }

  /** Whether there is anybody to ask. */
  public synchronized void attend(boolean nowAttended) {
    attended = nowAttended;
    if (!attended) {
      List.copyOf(open.values()).forEach(question -> close(question, Reply.UNATTENDED));
    }
  }

  @Override
  public void close() {
    attend(false);
  }
}
