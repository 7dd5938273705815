package dev.cove.control.build;

import dev.cove.model.ErrorCode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** Puts the instructions of a Dockerfile into stages. */
final class DockerfileParser {
  private static final Pattern STAGE_NAME = Pattern.compile("[a-z][a-z0-9_.-]{0,127}");

  /** A stage that is being read. */
  private record Open(Optional<String> name, String from, StepParser parser, List<Step> steps) {
    Stage finished() {
      return new Stage(name, from, steps);
    }
  }

  private final List<Instruction> instructions;
  private final List<Open> stages = new ArrayList<>();
  private final Map<String, List<String>> shellsByStage = new HashMap<>();
  private Variables globals;
  private int steps;

  DockerfileParser(String text, Map<String, String> buildArguments) {
    instructions = new DockerfileLines(text).read();
    globals = new Variables(buildArguments, Map.of(), predefined(), Map.of());
  }

  private static Map<String, String> predefined() {
    return Map.of(
        "TARGETPLATFORM",
        "linux/" + architecture(),
        "BUILDPLATFORM",
        "linux/" + architecture(),
        "TARGETOS",
        "linux",
        "TARGETARCH",
        architecture());
  }

  /** This machine's architecture in the words of images. */
  static String architecture() {
    String here = System.getProperty("os.arch", "amd64");
    return here.equals("aarch64") ? "arm64" : here;
  }

  Dockerfile parse() {
    if (instructions.isEmpty()) {
      throw new BuildException("The Dockerfile is empty");
    }
    for (Instruction instruction : instructions) {
      if (instruction.keyword().equals("FROM")) {
        startStage(instruction);
      } else if (stages.isEmpty()) {
        declareGlobal(instruction);
      } else {
        addSteps(instruction);
      }
    }
    var dockerfile =
        new Dockerfile(stages.stream().map(Open::finished).toList(), globals.arguments());
    requireEarlierStages(dockerfile);
    return dockerfile;
  }

  private void declareGlobal(Instruction instruction) {
    if (!instruction.keyword().equals("ARG")) {
      throw instruction.refused(
          "%s comes before the first FROM; only ARG may".formatted(instruction.keyword()));
    }
    for (Step step : new StepParser(StepParser.DEFAULT_SHELL).parse(instruction)) {
      countStep(instruction);
      globals = globals.after(step.expand(globals));
    }
  }

  private void addSteps(Instruction instruction) {
    Open stage = stages.getLast();
    for (Step step : stage.parser().parse(instruction)) {
      countStep(instruction);
      stage.steps().add(step);
    }
    stage.name().ifPresent(name -> shellsByStage.put(name, stage.parser().shell()));
  }

  private void countStep(Instruction instruction) {
    if (++steps > Dockerfile.MAX_STEPS) {
      throw Dockerfile.tooManySteps(instruction.line());
    }
  }

  private void startStage(Instruction written) {
    if (stages.size() == Dockerfile.MAX_STAGES) {
      throw new BuildException(
          ErrorCode.TOO_LARGE,
          "Line %d: A Dockerfile has at most %d stages"
              .formatted(written.line(), Dockerfile.MAX_STAGES));
    }
    Flags flags = Flags.of(written, Set.of("platform"));
    flags.find("platform").ifPresent(platform -> requirePlatform(written, platform));
    List<String> words = Words.splitAtBlanks(flags.rest().rest());
    boolean isNamed = words.size() == 3 && words.get(1).equalsIgnoreCase("AS");
    if (words.size() != 1 && !isNamed) {
      throw written.refused("FROM needs an image, or an image, AS and a name");
    }
    Optional<String> name =
        isNamed ? Optional.of(stageName(written, words.get(2))) : Optional.empty();
    String from = from(written, words.getFirst());
    List<String> shell = shellsByStage.getOrDefault(from, StepParser.DEFAULT_SHELL);
    stages.add(new Open(name, from, new StepParser(shell), new ArrayList<>()));
    name.ifPresent(key -> shellsByStage.put(key, shell));
  }

  private void requirePlatform(Instruction instruction, String written) {
    String platform = globals.expand(instruction.line(), Words.unquote(instruction, written));
    if (!List.of("linux/amd64", "linux/" + architecture()).contains(platform)) {
      throw instruction.refused(
          "The platform '%s' cannot be built here; this is linux/%s"
              .formatted(Expansion.shown(platform), architecture()));
    }
  }

  private String stageName(Instruction instruction, String written) {
    String name = written.toLowerCase(Locale.ROOT);
    if (!STAGE_NAME.matcher(name).matches() || name.equals(Stage.SCRATCH)) {
      throw instruction.refused(
          "A stage's name starts with a letter and has letters, digits, '_', '.' and '-' only,"
              + " at most 128, and is not 'scratch'");
    }
    if (shellsByStage.containsKey(name)) {
      throw instruction.refused("There is a stage '%s' already".formatted(name));
    }
    return name;
  }

  private String from(Instruction instruction, String written) {
    String from = globals.expand(instruction.line(), Words.unquote(instruction, written));
    if (from.isBlank() || from.chars().anyMatch(c -> c <= ' ')) {
      throw instruction.refused(
          "FROM %s names no image once its variables are filled in; give each ARG before the first"
                  .formatted(Expansion.shown(written))
              + " FROM a default or a value");
    }
    String name = from.toLowerCase(Locale.ROOT);
    return shellsByStage.containsKey(name) ? name : from;
  }

  /** A stage that comes later would be taken for an image, and be looked for in vain. */
  private static void requireEarlierStages(Dockerfile dockerfile) {
    for (int number = 0; number < dockerfile.stages().size(); number++) {
      for (Step step : dockerfile.stages().get(number).steps()) {
        if (step instanceof Step.Copy copy && copy.fromStage().isPresent()) {
          requireEarlier(dockerfile, copy, number);
        }
      }
    }
  }

  private static void requireEarlier(Dockerfile dockerfile, Step.Copy copy, int number) {
    String from = copy.fromStage().orElseThrow();
    if (dockerfile.stage(from, number).isPresent()) {
      return;
    }
    boolean comesLater = dockerfile.stage(from, dockerfile.stages().size()).isPresent();
    if (comesLater || from.matches("\\d+")) {
      throw new BuildException(
          copy.line(), "COPY --from=%s does not name an earlier stage".formatted(from));
    }
  }
}
