package dev.cove.cli;

import dev.cove.sdk.Cove;
import dev.cove.sdk.Limits;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Model.CommandSpec;

/** Makes, lists, shows, tags and removes what sandboxes start from. */
final class Template {
  private static final String REFERENCE = "NAME, NAME:TAG or NAME@VERSION.";

  private Template() {}

  static CommandSpec describe(Session session) {
    return Description.ofGroup("Make, list, show, tag and remove what sandboxes start from.")
        .verb("build", BuildTemplate.describe(session))
        .verb(
            "ls",
            Listing.describe(
                session,
                "List templates, the newest version of each first.",
                cove -> cove.templates().list(),
                dev.cove.sdk.Template::toJson,
                Template::table))
        .verb("inspect", Inspect.describe(session))
        .verb("tag", Tag.describe(session))
        .verb("rm", Rm.describe(session))
        .verb("push-to-tar", PushToTar.describe(session))
        .examples(
            "cove template build -t web .",
            "cove template build --image alpine:3.22",
            "cove run --template web")
        .build();
  }

  private static Table table(List<dev.cove.sdk.Template> templates) {
    var table = new Table("NAME", "VERSION", "TAGS", "LAYERS", "AGE", "MADE OF");
    Instant now = Instant.now();
    for (dev.cove.sdk.Template template : templates) {
      table.row(
          template.name(),
          Integer.toString(template.version()),
          String.join(",", template.tags()),
          Integer.toString(template.layers()),
          template.builtIn() ? "-" : Human.age(template.createdAt(), now),
          template.origin());
    }
    return table;
  }

  private static final class Inspect implements Callable<Integer> {
    private final Session session;

    private boolean json;

    private String reference = "";

    private Inspect(Session session) {
      this.session = session;
    }

    private static CommandSpec describe(Session session) {
      var inspect = new Inspect(session);
      return Description.of(inspect, "Show all that is known of one version of a template.")
          .flag("--json", "Print it as JSON.", () -> inspect.json = true)
          .parameter("REF", REFERENCE, reference -> inspect.reference = reference)
          .examples("cove template inspect web", "cove template inspect --json web@3")
          .build();
    }

    @Override
    public Integer call() {
      try (Cove cove = session.connect()) {
        dev.cove.sdk.Template template = cove.templates().require(reference);
        if (json) {
          session.println(template.toJson());
        } else {
          print(template);
        }
      }
      return ExitCode.OK;
    }

    private void print(dev.cove.sdk.Template template) {
      line("Reference", template.reference());
      line("Tags", String.join(", ", template.tags()));
      line("Made of", template.origin());
      line("Made at", template.builtIn() ? "built in" : template.createdAt().toString());
      line("Layers", template.layers() + " over " + template.base());
      line("User", template.user());
      line("Folder", template.cwd().isEmpty() ? "the user's home" : template.cwd());
      line("Entrypoint", words(template.entrypoint()));
      line("Service", words(template.start()));
      line("Ready", words(template.ready()));
      line("Limits", template.limits().map(Inspect::limits).orElse(""));
      line("Variables", variables(template.env()));
    }

    private static String limits(Limits limits) {
      return Stream.of(
              limits.cpus().map(cpus -> "%s cpus".formatted(Human.number(cpus))),
              limits.memoryMb().map(size -> size + " MB of memory"),
              limits.diskMb().map(size -> size + " MB of disk"),
              limits.maxProcesses().map(count -> count + " processes"))
          .flatMap(Optional::stream)
          .collect(Collectors.joining(", "));
    }

    private void line(String label, String value) {
      session.println("%-11s %s".formatted(label, value.isEmpty() ? "-" : Table.printable(value)));
    }

    // Quoted, so that what is one word can be told from what is two.
    private static String words(List<String> argv) {
      return argv.stream()
          .map(word ->
              word.matches("[A-Za-z0-9_@%+=:,./-]+")
                  ? word
                  : "'" + word.replace("'", "'\\''") + "'")
          .collect(Collectors.joining(" "));
    }

    private static String variables(Map<String, String> env) {
      return env.entrySet().stream()
          .map(variable -> variable.getKey() + "=" + variable.getValue())
          .sorted()
          .collect(Collectors.joining(" "));
    }
  }

  private static final class Tag implements Callable<Integer> {
    private final Session session;

    private String reference = "";

    private String tag = "";

    private Tag(Session session) {
      this.session = session;
    }

    private static CommandSpec describe(Session session) {
      var tag = new Tag(session);
      return Description.of(tag, "Let a tag point to a version of a template.")
          .parameter("REF", REFERENCE, reference -> tag.reference = reference)
          .parameter("TAG", "The tag, without the name.", name -> tag.tag = name)
          .examples("cove template tag web@3 stable")
          .build();
    }

    @Override
    public Integer call() {
      try (Cove cove = session.connect()) {
        cove.templates().tag(reference, tag);
      }
      return ExitCode.OK;
    }
  }

  private static final class Rm implements Callable<Integer> {
    private final Session session;

    private List<String> references = List.of();

    private Rm(Session session) {
      this.session = session;
    }

    private static CommandSpec describe(Session session) {
      var rm = new Rm(session);
      return Description.of(rm, "Remove templates; sandboxes that began with them stay.")
          .parameters(
              "1..*",
              "REF",
              "NAME for all versions, NAME@VERSION for one, NAME:TAG for the tag alone.",
              references -> rm.references = references)
          .build();
    }

    @Override
    public Integer call() {
      return new OneByOne(session)
          .of(references, (cove, reference) -> cove.templates().remove(reference));
    }
  }
}
