package dev.cove.control.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import dev.cove.model.ProjectName;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class PlaceQueueTest {
  private static final ProjectName PROJECT = ProjectName.DEFAULT;

  private final PlaceQueue queue = new PlaceQueue();
  private final List<String> attempts = new ArrayList<>();

  @BeforeEach
  void limit() {
    queue.limit(new PlaceQueue.Limits(Duration.ofSeconds(30), 10));
  }

  private String attempt(boolean isPlace) {
    attempts.add(isPlace ? "made" : "full");
    return NoPlaceException.taking(() -> {
      if (!isPlace) {
        throw new CoveException(ErrorCode.NO_ROOM, "full");
      }
      return "made";
    });
  }

  private static <T> Supplier<T> oneByOne(List<T> all) {
    Iterator<T> next = all.iterator();
    return next::next;
  }

  @Test
  void who_relied_on_another_that_found_no_place_waits_on() {
    Supplier<Boolean> places = oneByOne(List.of(false, false, true));
    Supplier<Boolean> needs = oneByOne(List.of(false, true));
    BooleanSupplier needed = needs::get;

    String made =
        Patience.unwatched(Optional.empty())
            .call(() -> queue.enter(PROJECT, needed, () -> attempt(places.get())));

    assertThat(made).isEqualTo("made");
    assertThat(attempts).containsExactly("full", "full", "made");
    assertThat(queue.size()).isZero();
  }
}
