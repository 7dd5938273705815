package dev.cove.cli;

import dev.cove.sdk.Cove;
import dev.cove.sdk.Sandbox;
import dev.cove.sdk.SecretBinding;
import dev.cove.sdk.Secrets;
import java.io.IOException;
import java.io.InputStream;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;

/** Keeps secrets, and says which sandbox may use them where. */
final class SecretVerbs {
  private SecretVerbs() {}

  static CommandSpec describe(Session session) {
    return Description.ofGroup("Let sandboxes use keys and passwords that they never see.")
        .verb("set", Set.describe(session))
        .verb("ls", Ls.describe(session))
        .verb("rm", Rm.describe(session))
        .verb("bind", Bind.describe(session))
        .verb("unbind", Unbind.describe(session))
        .examples(
            "cove secret set API_KEY < key.txt",
            "cove run --allow api.example.com:443 --secret API_KEY@api.example.com -- ./agent",
            "cove secret bind box API_KEY@api.example.com=header:X-Api-Key")
        .note("Inside there is only a placeholder; the value goes in on the way to the host.")
        .build();
  }

  private static final class Set implements Callable<Integer> {
    private static final int MAX = 64 * 1024;

    private final Session session;

    private Optional<String> file = Optional.empty();

    private String name = "";

    private List<String> strays = List.of();

    private boolean json;

    private Set(Session session) {
      this.session = session;
    }

    private static CommandSpec describe(Session session) {
      var set = new Set(session);
      return Description.of(
              set, "Keep a secret, or give it a new value, which is read from our input.")
          .text(
              "--file",
              "FILE",
              "Read the value from a file instead.",
              file -> set.file = Optional.of(file))
          .flag("--json", "Print the secret, without its value, as JSON.", () -> set.json = true)
          .parameter("NAME", "Capital letters, digits and _.", name -> set.name = name)
          .strayWords(words -> set.strays = words)
          .examples(
              "cove secret set API_KEY",
              "pass show example/api | cove secret set API_KEY",
              "cove secret set API_KEY --file key.txt")
          .note("At a terminal it asks, and does not show what is typed.")
          .note("One line break at the end of the value is left out; at most 64 KiB are kept.")
          .build();
    }

    @Override
    public Integer call() {
      if (!strays.isEmpty()) {
        // Without the words themselves: this may be written to a log.
        throw new Misuse(
            "A value is not given as an argument, where others on this machine could read it; it"
                + " is read from our input, or from --file FILE");
      }
      try (Cove cove = session.connect()) {
        Secrets.SecretInfo kept = cove.secrets().set(name, value());
        if (json) {
          session.println(kept.toJson());
        }
      }
      return ExitCode.OK;
    }

    private byte[] value() {
      byte[] value = file.isEmpty() && session.terminal().isInput() ? typed() : read();
      if (value.length == 0) {
        throw new UserError("The value is empty");
      }
      if (value.length > MAX) {
        throw new UserError("The value has more than 64 KiB");
      }
      return value;
    }

    private byte[] typed() {
      session.prompt("Value of " + Table.printable(name) + ": ");
      try (Terminal.Mode _ = session.terminal().hideInput()) {
        return TypedLine.read(session).map(TypedLine::bytes).orElse(new byte[0]);
      } finally {
        session.note("");
      }
    }

    private byte[] read() {
      try (InputStream source = FileInput.open(session, file.orElse("-"))) {
        byte[] all = source.readNBytes(MAX + "\r\n".length() + 1);
        int end = all.length;
        if (end > 0 && all[end - 1] == '\n') {
          end -= end > 1 && all[end - 2] == '\r' ? 2 : 1;
        }
        return Arrays.copyOf(all, end);
      } catch (IOException e) {
        throw UserError.of("The value cannot be read", e);
      }
    }
  }

  private static final class Ls implements Callable<Integer> {
    private final Session session;

    private Optional<String> box = Optional.empty();

    private boolean json;

    private Ls(Session session) {
      this.session = session;
    }

    private static CommandSpec describe(Session session) {
      var ls = new Ls(session);
      return Description.of(ls, "List secrets, without their values, or those of one sandbox.")
          .flag("--json", "Print a JSON array.", () -> ls.json = true)
          .optionalParameter(
              "BOX",
              "Where this sandbox may use them instead: its id or name.",
              v -> ls.box = Optional.of(v))
          .build();
    }

    @Override
    public Integer call() {
      try (Cove cove = session.connect()) {
        if (box.isPresent()) {
          print(cove.sandboxes().require(box.get()).secrets());
        } else {
          Listing.print(
              session, json, cove.secrets().list(), Secrets.SecretInfo::toJson, Ls::table);
        }
      }
      return ExitCode.OK;
    }

    private static Table table(List<Secrets.SecretInfo> secrets) {
      var table = new Table("NAME", "AGE", "VALUE SET");
      Instant now = Instant.now();
      for (Secrets.SecretInfo secret : secrets) {
        table.row(
            secret.name(),
            Human.age(secret.createdAt(), now),
            Human.age(secret.updatedAt(), now) + " ago");
      }
      return table;
    }

    private void print(List<SecretBinding> bindings) {
      if (json) {
        session.println(JsonLines.array(bindings, SecretBinding::toJson));
        return;
      }
      var table = new Table("SECRET", "VARIABLE", "PLACE", "HOSTS", "ONLY");
      for (SecretBinding binding : bindings) {
        table.row(
            binding.secret(),
            binding.env().orElse(binding.secret()),
            SecretFlag.place(binding) + (binding.unasked() ? " (added)" : ""),
            String.join(" ", binding.hosts()) + (binding.plainHttp() ? " (plain HTTP too)" : ""),
            (String.join(",", binding.methods()) + " " + String.join(" ", binding.paths()))
                .strip());
      }
      table.print(session.printer(), session.colours());
    }
  }

  private static final class Rm implements Callable<Integer> {
    private final Session session;

    private List<String> names = List.of();

    private Rm(Session session) {
      this.session = session;
    }

    private static CommandSpec describe(Session session) {
      var rm = new Rm(session);
      return Description.of(rm, "Forget secrets; they go into no request any more.")
          .parameters("1..*", "NAME", "As 'cove secret ls' shows them.", names -> rm.names = names)
          .build();
    }

    @Override
    public Integer call() {
      return new OneByOne(session).of(names, (cove, name) -> cove.secrets().delete(name));
    }
  }

  private static final class Bind implements Callable<Integer> {
    private final Session session;

    private String box = "";

    private List<String> words = List.of();

    private List<String> methods = List.of();

    private List<String> paths = List.of();

    private boolean added;

    private boolean plainHttp;

    private Optional<String> variable = Optional.empty();

    private Bind(Session session) {
      this.session = session;
    }

    private static CommandSpec describe(Session session) {
      var bind = new Bind(session);
      return Description.of(bind, "Let a sandbox use secrets with the hosts that are named.")
          .texts(
              "--method",
              "METHOD",
              "Only in requests with this method; may be given often.",
              v -> bind.methods = v)
          .texts(
              "--path",
              "PATH",
              "Only in requests to this path, such as '/v1/*'; may be given often.",
              v -> bind.paths = v)
          .flag(
              "--added",
              "Add it to each request, so that programs inside need not send the placeholder.",
              () -> bind.added = true)
          .flag(
              "--plain-http",
              "Also where the connection is not encrypted.",
              () -> bind.plainHttp = true)
          .text(
              "--env",
              "NAME",
              "The variable inside that holds the placeholder; default the secret's name.",
              v -> bind.variable = Optional.of(v))
          .parameter("BOX", "The sandbox's id or name.", box -> bind.box = box)
          .parameters(
              "1..*",
              SecretFlag.LABEL,
              "PLACE is bearer (default), basic:USER, header:NAME, query:NAME or body:NAME.",
              v -> bind.words = v)
          .examples(
              "cove secret bind box API_KEY@api.example.com",
              "cove secret bind box GIT_TOKEN@git.example.com=basic:me --added",
              "cove secret bind box 'API_KEY@*.example.com:8443=query:key' --method GET")
          .note("A host must be allowed as well; see 'cove network allow'.")
          .build();
    }

    @Override
    public Integer call() {
      List<SecretBinding> bindings = Words.read(words, new SecretFlag()::convert);
      try (Cove cove = session.connect()) {
        Sandbox sandbox = cove.sandboxes().require(box);
        List<SecretBinding> all = new ArrayList<>(sandbox.secrets());
        bindings.stream().map(this::asSaid).forEach(all::add);
        sandbox.setSecrets(SecretFlag.merged(all));
      }
      return ExitCode.OK;
    }

    private SecretBinding asSaid(SecretBinding binding) {
      return new SecretBinding(
          binding.secret(),
          binding.hosts(),
          binding.place(),
          binding.name(),
          binding.user(),
          methods,
          paths,
          added,
          plainHttp,
          variable);
    }
  }

  private static final class Unbind implements Callable<Integer> {
    private final Session session;

    private String box = "";

    private List<String> names = List.of();

    private Unbind(Session session) {
      this.session = session;
    }

    private static CommandSpec describe(Session session) {
      var unbind = new Unbind(session);
      return Description.of(unbind, "Take secrets away from a sandbox.")
          .parameter("BOX", "The sandbox's id or name.", box -> unbind.box = box)
          .parameters("1..*", "NAME", "The secrets' names.", names -> unbind.names = names)
          .examples("cove secret unbind box API_KEY")
          .build();
    }

    @Override
    public Integer call() {
      int code = ExitCode.OK;
      try (Cove cove = session.connect()) {
        Sandbox sandbox = cove.sandboxes().require(box);
        List<SecretBinding> left = new ArrayList<>(sandbox.secrets());
        for (String name : names) {
          if (!left.removeIf(binding -> binding.secret().equals(name))) {
            session.note("cove: " + name + ": it is not bound to " + box);
            code = ExitCode.FAILED;
          }
        }
        sandbox.setSecrets(left);
      }
      return code;
    }
  }
}
