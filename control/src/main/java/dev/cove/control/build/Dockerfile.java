package dev.cove.control.build;

import dev.cove.model.ErrorCode;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

/**
 * What a Dockerfile says.
 *
 * @param globals the values of the ARGs before the first FROM, and those that are always there
 */
public record Dockerfile(List<Stage> stages, Map<String, String> globals) {
  /** In bytes of UTF-8. */
  public static final int MAX_SIZE = 1024 * 1024;

  public static final int MAX_STEPS = 1_000;
  public static final int MAX_STAGES = 64;

  public Dockerfile {
    stages = List.copyOf(stages);
    globals = Map.copyOf(globals);
    if (stages.isEmpty()) {
      throw new BuildException("There is nothing to build: the Dockerfile has no FROM");
    }
  }

  /**
   * @param buildArguments values for ARG; names that no ARG declares are ignored
   */
  public static Dockerfile parse(String text, Map<String, String> buildArguments) {
    return new DockerfileParser(text, buildArguments).parse();
  }

  /** The part of it that makes one stage, by name or number. */
  public Dockerfile upTo(String target) {
    int last =
        stage(target, stages.size())
            .orElseThrow(() -> new BuildException("There is no stage %.64s".formatted(target)));
    return new Dockerfile(stages.subList(0, last + 1), globals);
  }

  static BuildException tooManySteps(int line) {
    return new BuildException(
        ErrorCode.TOO_LARGE,
        "Line %d: A Dockerfile has at most %d steps".formatted(line, MAX_STEPS));
  }

  /**
   * The stage that FROM or COPY --from means.
   *
   * @param before the number of the stage that asks: only earlier ones can be meant
   * @return empty if the reference is that of an image
   */
  public OptionalInt stage(String reference, int before) {
    for (int number = before - 1; number >= 0; number--) {
      if (stages.get(number).name().filter(reference::equalsIgnoreCase).isPresent()) {
        return OptionalInt.of(number);
      }
    }
    boolean isNumber = reference.matches("\\d{1,3}") && Integer.parseInt(reference) < before;
    return isNumber ? OptionalInt.of(Integer.parseInt(reference)) : OptionalInt.empty();
  }
}
