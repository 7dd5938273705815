package dev.cove.control.build;

import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * One thing to be done in a stage.
 *
 * <p>Texts in which variables count hold {@code $NAME} and {@code ${NAME}}, with {@code \$} for a
 * dollar and {@code \\} for a backslash, until {@link #expand} has been called. Quotes of the
 * Dockerfile are gone already.
 */
public sealed interface Step {
  /** The line of the Dockerfile, or the position in a list of steps, from 1. */
  int line();

  /** As it was written, for people. */
  String text();

  /** The step with its variables filled in; must be called once only. */
  default Step expand(Variables variables) {
    return this;
  }

  /** Runs a command. */
  record Run(int line, String text, List<String> argv) implements Step {
    public Run {
      argv = Checked.command(line, "RUN", argv);
    }
  }

  /**
   * Copies files.
   *
   * @param fromStage a stage's name in lower case, its number from 0, or the reference of an image;
   *     empty for the build context
   * @param target relative to the working folder; a trailing slash means a folder
   * @param owner {@code user[:group]}, names or numbers
   * @param unpackArchives whether a local tar archive is unpacked instead (ADD)
   */
  record Copy(
      int line,
      String text,
      Optional<String> fromStage,
      List<String> sources,
      String target,
      Optional<String> owner,
      OptionalInt mode,
      boolean unpackArchives)
      implements Step {
    private static final int MAX_MODE = 07777;

    public Copy {
      sources = Checked.sources(line, sources);
      Checked.text(line, "COPY", target);
      if (sources.isEmpty() || target.isEmpty() || sources.contains("")) {
        throw new BuildException(line, "COPY needs a source and a target");
      }
      if (unpackArchives) {
        Checked.local(line, sources);
      }
      if (owner.isPresent() && owner.get().isEmpty()) {
        throw new BuildException(line, "--chown needs a user");
      }
      if (mode.isPresent() && (mode.getAsInt() < 0 || mode.getAsInt() > MAX_MODE)) {
        throw new BuildException(line, "--chmod needs an octal mode of at most 7777");
      }
    }

    /** The same for a target that is known to be a folder, though it has no slash at its end. */
    public Copy intoFolder() {
      String folder = target.endsWith("/") ? target : target + "/";
      return new Copy(line, text, fromStage, sources, folder, owner, mode, unpackArchives);
    }

    @Override
    public Copy expand(Variables variables) {
      return new Copy(
          line,
          text,
          fromStage,
          variables.expand(line, sources),
          variables.expand(line, target),
          owner.map(raw -> variables.expand(line, raw)),
          mode,
          unpackArchives);
    }
  }

  /** Sets environment variables, in order. */
  record Env(int line, String text, Map<String, String> values) implements Step {
    public Env {
      values = Collections.unmodifiableMap(new LinkedHashMap<>(values));
      if (values.isEmpty()) {
        throw new BuildException(line, "ENV needs a name and a value");
      }
      for (var entry : values.entrySet()) {
        Checked.name(line, "ENV", entry.getKey());
        Checked.text(line, "ENV", entry.getValue());
      }
    }

    /** All values are as before the line, also where it sets the name itself. */
    @Override
    public Env expand(Variables variables) {
      var expanded = new LinkedHashMap<String, String>();
      Iterator<String> filled = variables.expand(line, List.copyOf(values.values())).iterator();
      for (String name : values.keySet()) {
        expanded.put(variables.expand(line, name), filled.next());
      }
      return new Env(line, text, expanded);
    }
  }

  /** Declares a build argument. */
  record Argument(int line, String text, String name, Optional<String> defaultValue)
      implements Step {
    public Argument {
      Checked.name(line, "ARG", name);
      Checked.text(line, "ARG", defaultValue.orElse(""));
    }

    @Override
    public Argument expand(Variables variables) {
      return new Argument(line, text, name, defaultValue.map(raw -> variables.expand(line, raw)));
    }
  }

  /**
   * Changes the working folder.
   *
   * @param path if not absolute, relative to the working folder before
   */
  record Workdir(int line, String text, String path) implements Step {
    public Workdir {
      Checked.filled(line, "WORKDIR", path);
    }

    @Override
    public Workdir expand(Variables variables) {
      return new Workdir(line, text, variables.expand(line, path));
    }
  }

  /**
   * Changes who runs commands.
   *
   * @param user {@code user[:group]}, names or numbers
   */
  record User(int line, String text, String user) implements Step {
    public User {
      Checked.filled(line, "USER", user);
    }

    @Override
    public User expand(Variables variables) {
      return new User(line, text, variables.expand(line, user));
    }
  }

  /**
   * What a sandbox of the template starts.
   *
   * @param argv empty takes back the one before
   */
  record Entrypoint(int line, String text, List<String> argv) implements Step {
    public Entrypoint {
      argv = Checked.texts(line, "ENTRYPOINT", argv);
    }
  }

  /**
   * The arguments of the entry point, or the command if there is none.
   *
   * @param argv empty takes back the one before
   */
  record Cmd(int line, String text, List<String> argv) implements Step {
    public Cmd {
      argv = Checked.texts(line, "CMD", argv);
    }
  }

  /**
   * Says which ports are listened on.
   *
   * @param ports {@code 80}, {@code 80/tcp}, {@code 8000-8010/udp}
   */
  record Expose(int line, String text, List<String> ports) implements Step {
    public Expose {
      ports = Checked.ports(line, ports);
    }

    /** A variable may hold several ports. */
    @Override
    public Expose expand(Variables variables) {
      List<String> words =
          variables.expand(line, ports).stream()
              .flatMap(port -> List.of(port.strip().split("\\s+")).stream())
              .toList();
      return new Expose(line, text, words);
    }
  }

  /** The shell of the commands that follow. The parser has put it in front of them already. */
  record Shell(int line, String text, List<String> argv) implements Step {
    public Shell {
      argv = Checked.command(line, "SHELL", argv);
    }
  }

  /** Accepted, without an effect. */
  record Ignored(int line, String text, String reason) implements Step {}
}
