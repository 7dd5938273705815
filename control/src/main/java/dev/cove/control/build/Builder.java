package dev.cove.control.build;

import dev.cove.control.Fingerprint;
import dev.cove.control.checkpoint.Checkpoint;
import dev.cove.control.checkpoint.Checkpoints;
import dev.cove.control.layer.Layers;
import dev.cove.control.service.ServiceStart;
import dev.cove.control.template.BuildCache;
import dev.cove.control.template.Catalogue;
import dev.cove.control.template.TemplateVersion;
import dev.cove.control.template.TemplateVersion.Service;
import dev.cove.guest.Guest;
import dev.cove.model.Base;
import dev.cove.model.CoveException;
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

/** Carries out one build. */
final class Builder implements AutoCloseable {
  private final Surroundings around;
  private final BuildLog log;
  private final Cancellation cancellation;
  private final BuildLayers layers;
  private final Workplace workplace;

  /** What a build works with. */
  record Surroundings(
      Node node,
      Layers layers,
      Catalogue catalogue,
      BuildCache cache,
      Checkpoints checkpoints,
      Spool spool) {}

  /**
   * What a build has come to.
   *
   * @param origin what it was made of, for people
   */
  record Made(Foundation foundation, String origin) {}

  Builder(Surroundings around, BuildLog log, Cancellation cancellation) {
    this.around = around;
    this.log = log;
    this.cancellation = cancellation;
    this.layers = new BuildLayers(around.layers(), around.cache());
    this.workplace = anotherWorkplace();
  }

  /** Makes what a template consists of; its layers stay until this is closed. */
  Made build(BuildRequest request) {
    Made made = make(request.plan());
    Foundation planned = made.foundation();
    Foundation foundation = planned.with(request.over(planned.settings()));
    cancellation.check();
    return new Made(
        request.service().equals(Service.NONE)
            ? foundation
            : withService(foundation, request.service()),
        made.origin());
  }

  private Made make(BuildPlan plan) {
    return switch (plan) {
      case BuildPlan.FromRegistry from ->
          install(() -> RegistryImage.open(from.image(), from.credentials()));
      case BuildPlan.FromArchive from -> install(() -> ArchiveImage.open(from.file().file()));
      case BuildPlan.Debian debian -> debian(debian);
      case BuildPlan.Stages stages -> stages(stages);
      case BuildPlan.FromCheckpoint from -> promoted(from.checkpoint());
    };
  }

  /** Opens an image. */
  private interface ImageSource {
    Image open() throws IOException;
  }

  private Made install(ImageSource source) {
    try (Image image = source.open()) {
      Foundation foundation = new ImageInstall(image, layers, workplace, log, cancellation).run();
      return new Made(foundation, "image " + image.origin());
    } catch (IOException e) {
      throw ImageInstall.refusal(e);
    }
  }

  /** Packages change from day to day, so what was made today may be used again today. */
  private Made debian(BuildPlan.Debian plan) {
    DebianBootstrap.Wish wish = plan.wish();
    var named =
        new Fingerprint()
            .add("debian")
            .add(wish.suite())
            .add(wish.packages())
            .add(wish.leftOut())
            .add(LocalDate.now(ZoneOffset.UTC).toString());
    plan.furnishing().addTo(named);
    String key = named.hex();
    String text = "Debian %s %s".formatted(wish.suite(), String.join(",", wish.packages())).strip();
    Optional<List<LayerId>> known = layers.find(key);
    log.step(new BuildLog.Progress(1, 1, text, known.isPresent()));
    List<LayerId> made = known.orElseGet(() -> bootstrap(plan, key));
    var settings = new Settings("user", "", Map.of(), List.of(), List.of());
    return new Made(new Foundation(Base.EMPTY, made, settings, key), text);
  }

  private List<LayerId> bootstrap(BuildPlan.Debian plan, String key) {
    try {
      Path folder = around.spool().makeFolder();
      try (var running =
          DebianBootstrap.start(plan.wish(), folder, line -> log.output(line + "\n"))) {
        cancellation.onCancel(running::close);
        Guest guest = workplace.on(Base.EMPTY, List.of());
        unpack(guest, running);
        running.await();
        new StepRun(guest, Settings.NONE, Map.of(), log)
            .run(List.of("/usr/sbin/useradd", "-m", "-u", "1000", "-U", "-s", "/bin/bash", "user"));
        plan.furnishing().install(guest, log);
      } finally {
        around.spool().drop(folder);
      }
    } catch (IOException | UncheckedIOException e) {
      throw ImageInstall.refusal(e);
    }
    return layers.keep(key, workplace);
  }

  private static void unpack(Guest guest, DebianBootstrap running) throws IOException {
    try {
      guest.files("root").unpack("/", running.tar(), Workplace.FILES);
    } catch (CoveException e) {
      if (running.tar().read() < 0) {
        running.await(); // it broke off, and says better why
      }
      throw e;
    }
  }

  /** Without the variables: what its owner gave to one sandbox was not meant for all. */
  private Made promoted(String id) {
    Checkpoint checkpoint = layers.hold(() -> around.checkpoints().require(id), Checkpoint::layers);
    String text = "checkpoint %s of sandbox %s".formatted(checkpoint.id(), checkpoint.sandbox());
    return new Made(
        new Foundation(
            checkpoint.template().base(),
            checkpoint.layers(),
            Settings.of(checkpoint.template(), Map.of()),
            new Fingerprint().add(text).hex()),
        text);
  }

  private Made stages(BuildPlan.Stages plan) {
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
    return new Made(done.getLast(), "a Dockerfile over " + stages.getLast().from());
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
      return layers
          .hold(
              () -> around.catalogue().find(reference),
              found -> found.map(TemplateVersion::layers).orElse(List.of()))
          .map(Builder::foundation);
    } catch (CoveException _) {
      return Optional.empty(); // no template is called that, but an image may be
    }
  }

  private static Foundation foundation(TemplateVersion version) {
    return new Foundation(
        version.template().base(),
        version.layers(),
        Settings.of(version.template(), version.env()).withLimits(version.content().limits()),
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
  private Foundation withService(Foundation foundation, Service service) {
    log.output("Waiting for the service\n");
    Guest guest = workplace.on(foundation.base(), foundation.layers());
    SandboxSpec spec = specOf(foundation.settings(), foundation.base());
    dev.cove.control.service.Service.of(service)
        .forEach(wanted -> new ServiceStart(guest, spec, spec.env(), wanted).inSilence());
    return foundation.on(workplace.seal(), foundation.key());
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
    return new Workplace(around.node(), around.layers(), layers.pin(), cancellation);
  }

  BuildLayers layers() {
    return layers;
  }

  BuildLog log() {
    return log;
  }

  @Override
  public void close() {
    workplace.close();
    layers.close();
  }
}
