package dev.cove.control.view;

import dev.cove.control.layer.Layers;
import dev.cove.guest.GuestFiles;
import dev.cove.model.Base;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import dev.cove.model.LayerId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;

/** Compares states of files that are made of layers. Safe for use by many threads. */
public final class Comparisons {
  public static final int MOST_CHANGES = 100_000;

  /** Each reads through four cages at most, and others want to look at files too. */
  private static final int AT_ONCE = 2;

  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final String ROOT = "0";

  private final Views views;
  private final Layers layers;
  private final Semaphore places = new Semaphore(AT_ONCE);

  public Comparisons(Views views, Layers layers) {
    this.views = views;
    this.layers = layers;
  }

  /**
   * Two states over one base.
   *
   * @param before its layers, the uppermost first
   */
  public record Pair(Base base, List<LayerId> before, List<LayerId> after) {
    public Pair {
      before = List.copyOf(before);
      after = List.copyOf(after);
    }

    /** The layers of the one that the other has not below it as well. */
    List<LayerId> onlyBefore() {
      return before.subList(0, before.size() - common());
    }

    List<LayerId> onlyAfter() {
      return after.subList(0, after.size() - common());
    }

    private int common() {
      int shorter = Math.min(before.size(), after.size());
      int common = 0;
      while (common < shorter
          && before.get(before.size() - 1 - common).equals(after.get(after.size() - 1 - common))) {
        common++;
      }
      return common;
    }
  }

  /**
   * Compares two states.
   *
   * @param choice opens a pair
   */
  public Difference compare(Function<Opener, Opened> choice, int limit) {
    if (limit < 1 || limit > MOST_CHANGES) {
      throw new CoveException(
          ErrorCode.INVALID_REQUEST, "limit must be between 1 and " + MOST_CHANGES + ".");
    }
    takePlace();
    try (Opened opened = choice.apply(pair -> layers.using(() -> open(pair.get())))) {
      return opened.compare(limit);
    } finally {
      places.release();
    }
  }

  private void takePlace() {
    try {
      if (places.tryAcquire(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
        return;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CoveException(ErrorCode.UNAVAILABLE, "The server is shutting down.", e);
    }
    throw new CoveException(
        ErrorCode.NO_ROOM, "Too many comparisons are being made at once; try again later.");
  }

  private Opened open(Pair pair) {
    var opened = new Opened();
    boolean complete = false;
    try {
      opened.add(views.open(pair.base(), pair.before()));
      opened.add(views.open(pair.base(), pair.after()));
      for (List<LayerId> alone : List.of(pair.onlyBefore(), pair.onlyAfter())) {
        if (!alone.isEmpty()) {
          opened.add(views.openAlone(pair.base(), alone));
        }
      }
      complete = true;
      return opened;
    } finally {
      if (!complete) {
        opened.close();
      }
    }
  }

  /** Opens what is to be compared. */
  @FunctionalInterface
  public interface Opener {
    /**
     * @param pair called while layers are in use, so that those that it finds stay
     */
    Opened open(Supplier<Pair> pair);
  }

  /** The state before, the one after, and what the layers hold that only one of them has. */
  public static final class Opened implements AutoCloseable {
    private final List<View> opened = new ArrayList<>();

    private Opened() {}

    private void add(View view) {
      opened.add(view);
    }

    private Difference compare(int limit) {
      List<GuestFiles> files = opened.stream().map(view -> view.files(ROOT)).toList();
      return new Comparison(files.get(0), files.get(1), files.subList(2, files.size()), limit)
          .run();
    }

    @Override
    public void close() {
      opened.forEach(View::close);
    }
  }
}
