package dev.cove.control.build;

import dev.cove.control.Fingerprint;
import dev.cove.control.layer.Layers;
import dev.cove.control.sandbox.ServiceStart;
import dev.cove.control.template.BuildCache;
import dev.cove.control.template.Catalogue;
import dev.cove.control.template.TemplateVersion;
import dev.cove.control.template.TemplateVersion.Service;
import dev.cove.guest.Guest;
import dev.cove.guest.GuestFiles.UnpackRules;
import dev.cove.model.Base;
import dev.cove.model.LayerId;
import dev.cove.model.SandboxSpec;
import dev.cove.model.Tier;
import dev.cove.node.Node;
import dev.cove.node.debian.DebianBootstrap;
import dev.cove.node.image.ArchiveImage;
import dev.cove.node.image.Credentials;
import dev.cove.node.image.Image;
import dev.cove.node.image.ImageReference;
import dev.cove.node.image.RegistryImage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;

/** Carries out one build. */
final class Builder implements AutoCloseable {
  private final Surroundings around;
  private final BuildLog log;
  private final Cancellation cancellation;
  private final Workplace workplace;

  /** What a build works with. */
  record Surroundings(
      Node node, Layers layers, Catalogue catalogue, BuildCache cache, Spool spool) {}

  Builder(Surroundings around, BuildLog log, Cancellation cancellation) {
    this.around = around;
    this.log = log;
    this.cancellation = cancellation;
    this.workplace = new Workplace(around.node(), around.layers(), cancellation);
  }

  /**
   * @param add records what was made while its layers cannot be taken away
   */
  TemplateVersion build(BuildRequest request, Function<Builds.Made, TemplateVersion> add) {
    Builds.Made made = make(request.plan());
    cancellation.check();
    if (request.service().equals(Service.NONE)) {
      return around.layers().using(() -> add.apply(made));
    }
    return withService(request, made, add);
  }

  private Builds.Made make(BuildPlan plan) {
    return switch (plan) {
      case BuildPlan.FromRegistry from ->
          install(() -> RegistryImage.open(from.image(), from.credentials()));
      case BuildPlan.FromArchive from -> install(() -> ArchiveImage.open(from.file().file()));
      case BuildPlan.Debian debian -> debian(debian.wish());
      case BuildPlan.Stages stages -> stages(stages);
      case BuildPlan.FromCheckpoint _ ->
          throw new IllegalArgumentException("A checkpoint needs no building");
    };
  }

  /** Opens an image. */
  private interface ImageSource {
    Image open() throws IOException;
  }

  private Builds.Made install(ImageSource source) {
    try (Image image = source.open()) {
      Foundation foundation =
          new ImageInstall(image, around.cache(), workplace, log, cancellation).run();
      return new Builds.Made(foundation, "image " + image.origin());
    } catch (IOException e) {
      throw ImageInstall.refusal(e);
    }
  }

  /** Packages change from day to day, so what was made today may be used again today. */
  private Builds.Made debian(DebianBootstrap.Wish wish) {
    String key =
        new Fingerprint()
            .add("debian")
            .add(wish.suite())
            .add(wish.packages())
            .add(LocalDate.now(ZoneOffset.UTC).toString())
            .hex();
    String text = "Debian %s %s".formatted(wish.suite(), String.join(",", wish.packages())).strip();
    Optional<List<LayerId>> known = around.cache().find(key);
    log.step(new BuildLog.Progress(1, 1, text, known.isPresent()));
    List<LayerId> layers = known.orElseGet(() -> bootstrap(wish, key));
    var settings = new Settings("user", "", Map.of(), List.of(), List.of());
    return new Builds.Made(new Foundation(Base.EMPTY, layers, settings, key), text);
  }

  private List<LayerId> bootstrap(DebianBootstrap.Wish wish, String key) {
    try {
      Path folder = around.spool().makeFolder();
      try (var running = DebianBootstrap.start(wish, folder, line -> log.output(line + "\n"))) {
        cancellation.onCancel(running::close);
        Guest guest = workplace.on(Base.EMPTY, List.of());
        guest
            .files("root")
            .unpack("/", running.tar(), new UnpackRules(false, 1_000_000, Long.MAX_VALUE));
        running.await();
        new StepRun(guest, Settings.NONE, Map.of(), log)
            .run(List.of("/usr/sbin/useradd", "-m", "-u", "1000", "-U", "-s", "/bin/bash", "user"));
      } finally {
        around.spool().drop(folder);
      }
    } catch (UncheckedIOException e) {
      throw ImageInstall.refusal(e);
    } catch (IOException e) {
      throw ImageInstall.refusal(e);
    }
    return workplace.seal(sealed -> around.cache().put(key, sealed.layers())).layers();
  }

  private Builds.Made stages(BuildPlan.Stages plan) {
    List<Foundation> done = new ArrayList<>();
    List<Stage> stages = plan.dockerfile().stages();
    int of = stages.stream().mapToInt(stage -> stage.steps().size() + 1).sum();
    int number = 0;
    for (int i = 0; i < stages.size(); i++) {
      Stage stage = stages.get(i);
      log.step(new BuildLog.Progress(++number, of, "FROM " + stage.from(), false));
      Foundation from = origin(plan, stage.from(), i, done);
      var run = new StageRun(this, plan, done, i, from);
      for (Step step : stage.steps()) {
        cancellation.check();
        run.carryOut(step, new BuildLog.Progress(++number, of, step.text(), false));
      }
      done.add(run.finish());
    }
    return new Builds.Made(done.getLast(), "a Dockerfile over " + stages.getLast().from());
  }

  /** What a FROM, or a COPY from elsewhere, means. */
  Foundation origin(BuildPlan.Stages plan, String reference, int before, List<Foundation> done) {
    if (reference.equals(Stage.SCRATCH)) {
      return Foundation.SCRATCH;
    }
    var stage = plan.dockerfile().stage(reference, before);
    if (stage.isPresent()) {
      return done.get(stage.getAsInt());
    }
    return template(reference).orElseGet(() -> image(reference, plan.credentials()));
  }

  private Optional<Foundation> template(String reference) {
    try {
      return around.catalogue().find(reference).map(Builder::foundation);
    } catch (dev.cove.model.CoveException _) {
      return Optional.empty(); // no template is called that, but an image may be
    }
  }

  private static Foundation foundation(TemplateVersion version) {
    return new Foundation(
        version.template().base(),
        version.layers(),
        Settings.of(version.template(), version.env()),
        new Fingerprint()
            .add("template")
            .add(version.reference())
            .add(version.createdAt().toString())
            .hex());
  }

  private Foundation image(String reference, Optional<Credentials> credentials) {
    ImageReference image;
    try {
      image = ImageReference.parse(reference);
    } catch (IllegalArgumentException e) {
      throw new BuildException(
          "There is no stage and no template %.200s. %s.".formatted(reference, e.getMessage()));
    }
    return install(() -> RegistryImage.open(image, credentials)).foundation();
  }

  /** The files are kept as they are once the service can be used. */
  private TemplateVersion withService(
      BuildRequest request, Builds.Made made, Function<Builds.Made, TemplateVersion> add) {
    Foundation foundation = made.foundation();
    Settings settings = foundation.settings().withEnv(request.env());
    settings = request.user().map(settings::withUser).orElse(settings);
    settings = request.cwd().map(settings::withCwd).orElse(settings);
    log.output("Waiting for the service\n");
    Guest guest = workplace.on(foundation.base(), foundation.layers());
    new ServiceStart(guest, specOf(settings, foundation.base())).start(request.service());
    var version = new AtomicReference<TemplateVersion>();
    workplace.seal(sealed ->
        version.set(
            add.apply(
                new Builds.Made(foundation.on(sealed.layers(), foundation.key()), made.origin()))));
    return version.get();
  }

  private static SandboxSpec specOf(Settings settings, Base base) {
    return new SandboxSpec(
        "build",
        settings.template("build", base),
        Tier.CONTAINER,
        Workplace.RESOURCES,
        settings.env(),
        Map.of());
  }

  Workplace workplace() {
    return workplace;
  }

  /** A second one, for what is copied from elsewhere. */
  Workplace anotherWorkplace() {
    return new Workplace(around.node(), around.layers(), cancellation);
  }

  BuildCache cache() {
    return around.cache();
  }

  BuildLog log() {
    return log;
  }

  @Override
  public void close() {
    workplace.close();
  }
}
