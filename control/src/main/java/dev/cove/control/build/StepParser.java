package dev.cove.control.build;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/** Understands the instructions of one stage. */
final class StepParser {
  static final List<String> DEFAULT_SHELL = List.of("/bin/sh", "-c");
  private static final int MAX_SHOWN = 40;

  private List<String> shell;

  StepParser(List<String> shell) {
    this.shell = shell;
  }

  /** The shell as it is now: a later stage that starts from this one begins with it. */
  List<String> shell() {
    return shell;
  }

  List<Step> parse(Instruction instruction) {
    if (instruction.rest().isEmpty()) {
      requireKnown(instruction);
      throw instruction.refused(instruction.keyword() + " needs a value");
    }
    return switch (instruction.keyword()) {
      case "ARG" -> arguments(instruction);
      default -> List.of(parseOne(instruction));
    };
  }

  private Step parseOne(Instruction instruction) {
    int line = instruction.line();
    String text = instruction.text();
    return switch (instruction.keyword()) {
      case "RUN" -> new Step.Run(line, text, runArgv(instruction));
      case "COPY" -> copy(instruction, Set.of("from", "chown", "chmod", "link"));
      case "ADD" -> copy(instruction, Set.of("chown", "chmod", "link"));
      case "ENV" -> env(instruction);
      case "WORKDIR" ->
          new Step.Workdir(line, text, Words.unquote(instruction, instruction.rest()));
      case "USER" -> new Step.User(line, text, Words.unquote(instruction, instruction.rest()));
      case "ENTRYPOINT" -> new Step.Entrypoint(line, text, argv(instruction));
      case "CMD" -> new Step.Cmd(line, text, argv(instruction));
      case "EXPOSE" ->
          new Step.Expose(
              line, text, Words.unquote(instruction, Words.splitAtBlanks(instruction.rest())));
      case "SHELL" -> shell(instruction);
      case "LABEL", "MAINTAINER", "STOPSIGNAL", "VOLUME", "HEALTHCHECK" ->
          new Step.Ignored(line, text, instruction.keyword() + " has no effect here");
      case "ONBUILD" ->
          throw instruction.refused(
              "ONBUILD is not supported; put its instruction into the Dockerfile that needs it");
      default -> throw unknown(instruction);
    };
  }

  private static void requireKnown(Instruction instruction) {
    var known =
        Set.of(
            "ARG",
            "RUN",
            "COPY",
            "ADD",
            "ENV",
            "WORKDIR",
            "USER",
            "ENTRYPOINT",
            "CMD",
            "EXPOSE",
            "SHELL",
            "LABEL",
            "MAINTAINER",
            "STOPSIGNAL",
            "VOLUME",
            "HEALTHCHECK",
            "ONBUILD",
            "FROM");
    if (!known.contains(instruction.keyword())) {
      throw unknown(instruction);
    }
  }

  private static BuildException unknown(Instruction instruction) {
    String keyword = instruction.keyword();
    String shown =
        keyword.length() <= MAX_SHOWN ? keyword : keyword.substring(0, MAX_SHOWN) + "...";
    return instruction.refused("There is no instruction %s".formatted(shown));
  }

  private List<String> argv(Instruction instruction) {
    return ExecForm.parse(instruction.rest()).orElseGet(() -> inShell(instruction.rest()));
  }

  private List<String> inShell(String command) {
    var argv = new ArrayList<>(shell);
    argv.add(command);
    return argv;
  }

  private List<String> runArgv(Instruction written) {
    Instruction instruction = Flags.of(written, Set.of()).rest();
    if (instruction.rest().isEmpty()) {
      throw instruction.refused("RUN needs a command");
    }
    List<Heredoc> heredocs = instruction.heredocs();
    if (heredocs.isEmpty()) {
      return argv(instruction);
    }
    if (heredocs.size() == 1 && heredocs.getFirst().word().equals(instruction.rest())) {
      return scriptArgv(instruction, heredocs.getFirst());
    }
    var command = new StringBuilder(instruction.rest());
    for (Heredoc heredoc : heredocs) {
      command.append('\n').append(heredoc.content()).append(heredoc.name());
    }
    return inShell(command.append('\n').toString());
  }

  /**
   * A script that names its interpreter is handed to it through a descriptor: there is no file that
   * could stay behind in the template.
   */
  private List<String> scriptArgv(Instruction instruction, Heredoc heredoc) {
    String script = heredoc.script();
    if (script.isBlank()) {
      throw instruction.refused("RUN needs a command: its heredoc is empty");
    }
    if (!script.startsWith("#!")) {
      return inShell(script);
    }
    String[] interpreter =
        script.lines().findFirst().orElse("").substring(2).strip().split("\\s+", 2);
    var command = new StringBuilder("exec");
    for (String part : interpreter) {
      command.append(" '").append(part.replace("'", "'\\''")).append('\'');
    }
    command.append(" /dev/fd/3 3<<'%s'\n".formatted(heredoc.name()));
    command.append(script).append(heredoc.name()).append('\n');
    return List.of("/bin/sh", "-c", command.toString());
  }

  private Step shell(Instruction instruction) {
    List<String> argv =
        ExecForm.parse(instruction.rest())
            .orElseThrow(() ->
                instruction.refused("SHELL needs a JSON array, as in [\"/bin/bash\", \"-c\"]"));
    var step = new Step.Shell(instruction.line(), instruction.text(), argv);
    shell = step.argv();
    return step;
  }

  private static Step copy(Instruction written, Set<String> allowed) {
    if (!written.heredocs().isEmpty()) {
      throw written.refused(
          written.keyword() + " with a heredoc is not supported; put the file into the context");
    }
    Flags flags = Flags.of(written, allowed);
    Instruction instruction = flags.rest();
    List<String> words =
        ExecForm.parse(instruction.rest()).orElseGet(() -> Words.splitAtBlanks(instruction.rest()));
    if (words.size() < 2) {
      throw instruction.refused(instruction.keyword() + " needs a source and a target");
    }
    words = Words.unquote(instruction, words);
    return new Step.Copy(
        instruction.line(),
        instruction.text(),
        flags.find("from").map(from -> fromStage(instruction, from)),
        words.subList(0, words.size() - 1),
        words.getLast(),
        flags.find("chown").map(owner -> Words.unquote(instruction, owner)),
        mode(instruction, flags.find("chmod")),
        instruction.keyword().equals("ADD"));
  }

  private static String fromStage(Instruction instruction, String from) {
    if (from.indexOf('$') >= 0) {
      throw instruction.refused(
          "COPY --from takes no variables; give the image a name with FROM ... AS name");
    }
    return from;
  }

  private static OptionalInt mode(Instruction instruction, Optional<String> text) {
    if (text.isEmpty()) {
      return OptionalInt.empty();
    }
    if (!text.get().matches("[0-7]{1,5}")) {
      throw instruction.refused("--chmod needs an octal mode, as in 755");
    }
    return OptionalInt.of(Integer.parseInt(text.get(), 8));
  }

  private static Step env(Instruction instruction) {
    List<String> words = Words.split(instruction.rest(), instruction.escape());
    var values = new LinkedHashMap<String, String>();
    if (words.getFirst().indexOf('=') < 0) {
      String[] parts = instruction.rest().split("\\s+", 2);
      if (parts.length < 2) {
        throw instruction.refused("ENV needs a name and a value, as in NAME=value");
      }
      values.put(parts[0], Words.unquote(instruction, parts[1]));
    } else {
      for (String word : words) {
        int equals = word.indexOf('=');
        if (equals < 0) {
          throw instruction.refused(
              "'%s' is not of the form NAME=value; put blanks into quotes"
                  .formatted(Expansion.shown(word)));
        }
        values.put(
            Words.unquote(instruction, word.substring(0, equals)),
            Words.unquote(instruction, word.substring(equals + 1)));
      }
    }
    return new Step.Env(instruction.line(), instruction.text(), values);
  }

  static List<Step> arguments(Instruction instruction) {
    var steps = new ArrayList<Step>();
    for (String word : Words.split(instruction.rest(), instruction.escape())) {
      int equals = word.indexOf('=');
      String name = equals < 0 ? word : word.substring(0, equals);
      Optional<String> value =
          equals < 0
              ? Optional.empty()
              : Optional.of(Words.unquote(instruction, word.substring(equals + 1)));
      steps.add(new Step.Argument(instruction.line(), instruction.text(), name, value));
    }
    return steps;
  }
}
