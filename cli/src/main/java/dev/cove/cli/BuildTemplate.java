package dev.cove.cli;

import dev.cove.sdk.ContextBuild;
import dev.cove.sdk.Cove;
import dev.cove.sdk.CoveApiException;
import dev.cove.sdk.Network;
import dev.cove.sdk.TemplateBuild;
import dev.cove.sdk.Templates;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Model.CommandSpec;

/** Makes a template of a folder, an image, Debian, a checkpoint or an archive. */
final class BuildTemplate implements Callable<Integer> {
  private static final String DOCKERFILE = "Dockerfile";
  private static final int MAX_PASSWORD = 64 * 1024;

  private final Session session;

  private List<String> tags = List.of();

  private Optional<String> folder = Optional.empty();
  private Optional<String> dockerfile = Optional.empty();
  private Map<String, String> arguments = Map.of();
  private Optional<String> target = Optional.empty();

  private Optional<String> image = Optional.empty();
  private Optional<String> username = Optional.empty();
  private boolean passwordFromInput;

  private boolean debian;
  private Optional<String> suite = Optional.empty();
  private List<String> packages = List.of();
  private Optional<String> recipe = Optional.empty();

  private Optional<String> checkpoint = Optional.empty();

  private Optional<String> archive = Optional.empty();

  private Map<String, String> env = Map.of();
  private Optional<String> user = Optional.empty();
  private Optional<String> cwd = Optional.empty();
  private Optional<String> start = Optional.empty();
  private Optional<String> ready = Optional.empty();
  private boolean noCache;

  private final NetworkFlags network = new NetworkFlags();
  private final LifeFlags life = new LifeFlags();
  private final LimitFlags limits = new LimitFlags();

  private boolean json;

  private BuildTemplate(Session session) {
    this.session = session;
  }

  static CommandSpec describe(Session session) {
    var build = new BuildTemplate(session);
    return Description.of(build, "Make a template, show how it goes, and print its NAME@VERSION.")
        .synopsis(
            "cove template build -t NAME[:TAG] [-f FILE] [--build-arg K=V]... [--target STAGE]"
                + " PATH",
            "cove template build --image REF [-t NAME[:TAG]] [--username U --password-stdin]",
            "cove template build --debian [--suite S] [--package P]... [-t NAME[:TAG]]",
            "cove template build --recipe R [--package P]... [-t NAME[:TAG]]",
            "cove template build --checkpoint ID -t NAME[:TAG]",
            "cove template build --archive FILE -t NAME[:TAG]")
        .texts(
            "-t --tag",
            "NAME[:TAG]",
            "What to call it; may be given often, with other tags of the same name.",
            v -> build.tags = v)
        .with(build::describeFolder)
        .with(build::describeOthers)
        .with(build::describeSettings)
        .with(build.limits::describe)
        .with(build.network::describe)
        .with(build.life::describe)
        .flag("--json", "Print the whole template as JSON.", () -> build.json = true)
        .optionalParameter(
            "PATH", "A folder with a Dockerfile.", v -> build.folder = Optional.of(v))
        .examples(
            "cove template build -t web:v1 -t web .",
            "cove template build --image alpine:3.22",
            "cove template build --debian --package git -t tools",
            "cove template build --checkpoint $(cove checkpoint box) -t prepared",
            "docker save web | cove template build --archive - -t web")
        .note(
            "What is said about network and limits holds for its sandboxes, unless something else is said"
                + " when they are made. Steps reach what the presets packages and git allow."
                + " Ctrl-C cancels the build.")
        .build();
  }

  private void describeFolder(Description verb) {
    verb.text(
            "-f --file",
            "FILE",
            "The Dockerfile, somewhere in PATH; default PATH/Dockerfile.",
            v -> dockerfile = Optional.of(v))
        .pairs("--build-arg", "A value for ARG; may be given often.", v -> arguments = v)
        .text(
            "--target",
            "STAGE",
            "The stage to build; default the last.",
            v -> target = Optional.of(v))
        .flag("--no-cache", "Carry out every step, also known ones.", () -> noCache = true);
  }

  private void describeOthers(Description verb) {
    verb.text("--image", "REF", "An image of a registry.", v -> image = Optional.of(v))
        .text("--username", "U", "Who asks the registry.", v -> username = Optional.of(v))
        .flag(
            "--password-stdin",
            "Read the registry's password from our input.",
            () -> passwordFromInput = true)
        .flag("--debian", "Debian, from the server's package sources.", () -> debian = true)
        .text(
            "--suite", "S", "Which Debian; default the server's own.", v -> suite = Optional.of(v))
        .texts(
            "--package", "P", "A package beside the usual; may be given often.", v -> packages = v)
        .text(
            "--recipe",
            "R",
            "What the server knows how to make: base or code-interpreter-v1.",
            v -> recipe = Optional.of(v))
        .text("--checkpoint", "ID", "What a sandbox had written.", v -> checkpoint = Optional.of(v))
        .text(
            "--archive",
            "FILE",
            "What 'docker save' or an OCI tool wrote; - is our input.",
            v -> archive = Optional.of(v));
  }

  private void describeSettings(Description verb) {
    verb.pairs("-e --env", "A variable for its sandboxes; may be given often.", v -> env = v)
        .text("-u --user", "USER", "Who runs commands in them.", v -> user = Optional.of(v))
        .text("-w --cwd", "FOLDER", "Where commands run in them.", v -> cwd = Optional.of(v))
        .text(
            "--start",
            "COMMAND",
            "A service for 'sh -c' that runs in them from the beginning.",
            v -> start = Optional.of(v))
        .text(
            "--ready",
            "COMMAND",
            "Is tried until it succeeds, before a sandbox counts as started.",
            v -> ready = Optional.of(v));
  }

  @Override
  public Integer call() {
    requireSense();
    try (Cove cove = LocalStart.connectOrStart(session)) {
      dev.cove.sdk.Template made;
      try (var progress = new BuildProgress(session)) {
        made = build(cove.templates(), progress);
      } catch (IOException e) {
        throw new UserError("A file can't be read: " + e.getMessage(), e);
      }
      session.println(json ? made.toJson() : made.reference());
    }
    return ExitCode.OK;
  }

  private void requireSense() {
    long sources =
        Stream.of(folder, image, recipe, checkpoint, archive).filter(Optional::isPresent).count()
            + (debian ? 1 : 0);
    if (sources != 1) {
      throw new Misuse(
          "Say what to make it of: PATH, --image, --debian, --recipe, --checkpoint or --archive");
    }
    if (folder.isEmpty()
        && (dockerfile.isPresent() || target.isPresent() || !arguments.isEmpty() || noCache)) {
      throw new Misuse(
          "--file, --build-arg, --target and --no-cache are about the Dockerfile of a PATH");
    }
    if (!debian && (suite.isPresent() || (recipe.isEmpty() && !packages.isEmpty()))) {
      throw new Misuse("--suite goes with --debian, and --package with that or --recipe");
    }
    boolean settings =
        Stream.of(user, cwd, start, ready).anyMatch(Optional::isPresent) || !env.isEmpty();
    if (settings && (folder.isPresent() || archive.isPresent())) {
      throw new Misuse(
          "--env, --user, --cwd, --start and --ready go with --image, --debian and --checkpoint; a"
              + " Dockerfile or an archive says these itself");
    }
    boolean more = network.change(Network.denying()).isPresent() || limits.said().isPresent();
    if (archive.isPresent() && more) {
      throw new Misuse(
          "An archive brings no network and no limits; build on the template that it becomes with"
              + " 'FROM' instead");
    }
    requireCredentialsOfImage();
    if (tags.isEmpty() && image.isEmpty() && recipe.isEmpty() && !debian) {
      throw new Misuse("Say what to call it: -t NAME");
    }
    TemplateTags.of(tags);
  }

  private void requireCredentialsOfImage() {
    if (username.isPresent() != passwordFromInput) {
      throw new Misuse("--username and --password-stdin go together");
    }
    if (username.isPresent() && image.isEmpty()) {
      throw new Misuse("--username and --password-stdin go with --image");
    }
  }

  private dev.cove.sdk.Template build(Templates templates, BuildProgress progress)
      throws IOException {
    if (folder.isPresent()) {
      return buildFolder(templates, Path.of(folder.get()), progress);
    }
    if (archive.isPresent()) {
      return importArchive(templates, archive.get(), progress);
    }
    return templates.build(settled(named(source())), progress);
  }

  private TemplateBuild source() throws IOException {
    if (image.isPresent()) {
      TemplateBuild build = TemplateBuild.fromImage(image.get());
      return username.isPresent() ? build.registry(username.get(), password()) : build;
    }
    if (checkpoint.isPresent()) {
      return TemplateBuild.fromCheckpoint(checkpoint.get());
    }
    if (recipe.isPresent()) {
      TemplateBuild build = TemplateBuild.fromRecipe(recipe.get());
      for (String name : packages) {
        build = build.recipePackage(name);
      }
      return build;
    }
    TemplateBuild build = TemplateBuild.fromDebian();
    if (suite.isPresent()) {
      build = build.debianSuite(suite.get());
    }
    for (String name : packages) {
      build = build.debianPackage(name);
    }
    return build;
  }

  private String password() throws IOException {
    byte[] bytes = session.in().readNBytes(MAX_PASSWORD);
    return new String(bytes, StandardCharsets.UTF_8).lines().findFirst().orElse("");
  }

  private TemplateBuild named(TemplateBuild build) {
    if (tags.isEmpty()) {
      return build;
    }
    TemplateTags called = TemplateTags.of(tags);
    TemplateBuild named = build.name(called.name());
    for (String tag : called.tags()) {
      named = named.tag(tag);
    }
    return named;
  }

  private TemplateBuild settled(TemplateBuild build) {
    TemplateBuild settled = build;
    for (var variable : env.entrySet()) {
      settled = settled.env(variable.getKey(), variable.getValue());
    }
    if (user.isPresent()) {
      settled = settled.user(user.get());
    }
    if (cwd.isPresent()) {
      settled = settled.cwd(cwd.get());
    }
    if (start.isPresent()) {
      settled = settled.start("/bin/sh", "-c", start.get());
    }
    if (ready.isPresent()) {
      settled = settled.ready("/bin/sh", "-c", ready.get());
    }
    TemplateBuild reaching =
        network.change(Network.denying()).map(settled::network).orElse(settled);
    TemplateBuild lasting = life.change().map(reaching::life).orElse(reaching);
    return limits.said().map(lasting::limits).orElse(lasting);
  }

  private dev.cove.sdk.Template buildFolder(Templates templates, Path given, BuildProgress progress)
      throws IOException {
    if (!Files.isDirectory(given)) {
      throw new UserError("There is no folder " + given);
    }
    Path context = given.toRealPath();
    Path description = findDockerfile(context);
    TemplateTags called = TemplateTags.of(tags);
    ContextBuild build = ContextBuild.named(called.name()).dockerfile(description.toString());
    for (String tag : called.tags()) {
      build = build.tag(tag);
    }
    for (var argument : arguments.entrySet()) {
      build = build.argument(argument.getKey(), argument.getValue());
    }
    if (target.isPresent()) {
      build = build.target(target.get());
    }
    build = network.change(Network.denying()).map(build::network).orElse(build);
    build = life.change().map(build::life).orElse(build);
    build = limits.said().map(build::limits).orElse(build);
    build = noCache ? build.noCache() : build;
    try (var packed = new FolderArchive(context, IgnoredFiles.of(context, description))) {
      try {
        return templates.buildFromContext(packed.stream(), build, progress);
      } catch (CoveApiException e) {
        throw packed.reason(e);
      }
    }
  }

  /** Relative to the folder. As with docker, -f is a path from here; one from PATH works too. */
  private Path findDockerfile(Path context) throws IOException {
    String wanted = dockerfile.orElse(DOCKERFILE);
    boolean fromHere = dockerfile.isPresent() && Files.exists(Path.of(wanted));
    Path file = fromHere ? Path.of(wanted) : context.resolve(wanted);
    if (!Files.isRegularFile(file)) {
      throw new UserError("There is no file " + file);
    }
    Path parent = Optional.ofNullable(file.toAbsolutePath().getParent()).orElse(context);
    Path place = parent.toRealPath().resolve(file.getFileName());
    if (!place.startsWith(context)) {
      throw new UserError("The Dockerfile must be somewhere in %s".formatted(context));
    }
    return context.relativize(place);
  }

  private dev.cove.sdk.Template importArchive(
      Templates templates, String file, BuildProgress progress) throws IOException {
    TemplateTags called = TemplateTags.of(tags);
    try (InputStream stream = FileInput.open(session, file)) {
      return templates.importArchive(stream, called.name(), called.tags(), progress);
    }
  }
}
