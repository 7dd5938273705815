package dev.cove.edge.exec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class OutputBudgetTest {
  private final OutputBudget budget =
      new OutputBudget(2 * OutputBudget.BLOCK, Duration.ofMillis(50));

  @Test
  void output_over_the_shared_budget_is_no_room_until_others_give_back() throws Exception {
    var first = new CollectedOutput(budget);
    first.accept(new byte[OutputBudget.BLOCK + 1], OutputBudget.BLOCK + 1);
    var second = new CollectedOutput(budget);
    assertThatThrownBy(() -> second.accept(new byte[1], 1))
        .isInstanceOfSatisfying(
            CoveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NO_ROOM));
    first.release();
    second.accept(new byte[] {7}, 1);
    assertThat(second.bytes().readAllBytes()).containsExactly(7);
    second.release();
    second.release();
    var third = new CollectedOutput(budget);
    third.accept(new byte[2 * OutputBudget.BLOCK], 2 * OutputBudget.BLOCK);
    assertThat(third.size()).isEqualTo(2 * OutputBudget.BLOCK);
  }

  @Test
  void what_comes_after_the_end_takes_no_memory() throws Exception {
    var output = new CollectedOutput(budget);
    output.accept(new byte[] {1, 2}, 2);
    output.seal();
    output.accept(new byte[3 * OutputBudget.BLOCK], 3 * OutputBudget.BLOCK);
    assertThat(output.bytes().readAllBytes()).containsExactly(1, 2);
    output.release();
    new CollectedOutput(budget).accept(new byte[2 * OutputBudget.BLOCK], 2 * OutputBudget.BLOCK);
  }
}
