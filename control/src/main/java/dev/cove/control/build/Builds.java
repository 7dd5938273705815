package dev.cove.control.build;

import dev.cove.control.checkpoint.Checkpoints;
import dev.cove.control.layer.Layers;
import dev.cove.control.project.Scope;
import dev.cove.control.template.BuildCache;
import dev.cove.control.template.Catalogue;
import dev.cove.control.template.TemplateReference;
import dev.cove.control.template.TemplateVersion;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import dev.cove.model.ProjectName;
import dev.cove.model.crash.FailPoint;
import dev.cove.model.observe.Step;
import dev.cove.node.Node;
import dev.cove.node.debian.DebianBootstrap;
import dev.cove.node.image.Credentials;
import dev.cove.node.image.ImageReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes templates. Safe for use by many threads. */
public final class Builds implements AutoCloseable {
  /** Made on first use. */
  public static final String DEBIAN = "debian";

  private static final Logger log = LoggerFactory.getLogger(Builds.class);
  private static final int AT_ONCE = 4;
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  static final Duration MAX_DURATION = Duration.ofHours(1);

  private final Builder.Surroundings around;
  private final Semaphore places = new Semaphore(AT_ONCE);
  private final Map<String, ReentrantLock> providing = new ConcurrentHashMap<>();
  private final Cooking cooking;
  private final Set<Cancellation> underWay = ConcurrentHashMap.newKeySet();

  public Builds(
      Node node,
      Layers layers,
      Catalogue catalogue,
      BuildCache cache,
      Checkpoints checkpoints,
      Spool spool) {
    this.around = new Builder.Surroundings(node, layers, catalogue, cache, checkpoints, spool);
    this.cooking = new Cooking(this, catalogue);
  }

  public Spool spool() {
    return around.spool();
  }

  /**
   * Makes a template, or nothing.
   *
   * @throws CoveException NO_ROOM when too many are being made
   */
  public TemplateVersion build(BuildRequest request, BuildLog log, Cancellation cancellation) {
    requireValid(request);
    if (!places.tryAcquire()) {
      throw new CoveException(
          ErrorCode.NO_ROOM,
          "%d templates are being made already; try again later.".formatted(AT_ONCE));
    }
    underWay.add(cancellation);
    try (var _ = Deadline.of(MAX_DURATION, () -> cancellation.cancel("it took too long"))) {
      return Step.BUILD.run(() -> make(request, log, cancellation));
    } finally {
      underWay.remove(cancellation);
      places.release();
    }
  }

  /** Ends what is being made, also what nobody waits for, and waits until nothing of it is left. */
  @Override
  public void close() {
    underWay.forEach(build -> build.cancel("the server ends"));
    try {
      if (!places.tryAcquire(AT_ONCE, PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
        log.warn("a build does not end; what is left of it goes at the next start");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void requireValid(BuildRequest request) {
    try {
      TemplateReference.requireName(request.name());
      request.tags().forEach(TemplateReference::requireTag);
      if (request.name().equals(Catalogue.HOST.name())) {
        throw new IllegalArgumentException("The template host is built in; choose another name");
      }
    } catch (IllegalArgumentException e) {
      throw new CoveException(ErrorCode.INVALID_REQUEST, e.getMessage() + ".", e);
    }
  }

  private TemplateVersion make(BuildRequest request, BuildLog to, Cancellation cancellation) {
    try (var builder = new Builder(around, to, cancellation)) {
      return add(request, builder.build(request));
    } catch (RuntimeException e) {
      cancellation.check(); // what broke in a build that was to end broke because of that
      throw e;
    }
  }

  private TemplateVersion add(BuildRequest request, Builder.Made made) {
    Foundation foundation = made.foundation();
    FailPoint.BUILD_FINISHED.reached();
    TemplateVersion version =
        around
            .catalogue()
            .add(
                request.name(),
                request.tags(),
                made.origin(),
                new TemplateVersion.Content(
                    foundation.settings().template(request.name(), foundation.base()),
                    foundation.settings().env(),
                    foundation.layers(),
                    request.service(),
                    foundation.settings().limits()));
    log.info("template {} made of {}", version.reference(), version.origin());
    return version;
  }

  /** Whether it is made when it is asked for and not there. */
  public static boolean isMadeOnFirstUse(String reference) {
    return reference.equals(DEBIAN) || Recipes.knows(reference);
  }

  /** Makes what is asked for and can be made of itself, unless it is there. */
  public void provide(String reference, BuildLog to, Cancellation cancellation) {
    if (Recipes.knows(reference)) {
      cooking.provide(reference);
    } else if (reference.equals(DEBIAN) && around.catalogue().find(reference).isEmpty()) {
      // Nothing of the caller's goes into it, so it is made once and for all projects.
      Scope.ofOperator(ProjectName.DEFAULT)
          .call(() -> {
            once(
                reference,
                () -> debian(List.of(), DebianBootstrap.Wish.ofThisMachine(List.of())),
                to,
                cancellation);
            return true;
          });
    }
  }

  /** Makes a recipe while nobody waits for it, once; what keeps it from that is logged. */
  public void prepare(String recipe) {
    cooking.prepare(recipe);
  }

  /** Makes what can be made of itself, unless it is there, and waits for it however long. */
  public void await(String reference, BuildLog to, Cancellation cancellation) {
    if (Recipes.knows(reference)) {
      cooking.await(reference);
    } else {
      provide(reference, to, cancellation);
    }
  }

  /** How Debian is asked for; its suite becomes a tag. */
  public static BuildRequest debian(List<String> tags, DebianBootstrap.Wish wish) {
    var all = new ArrayList<>(tags);
    all.add(wish.suite());
    all.add(TemplateReference.LATEST);
    return BuildRequest.of(DEBIAN, all, new BuildPlan.Debian(wish, Furnishing.NONE));
  }

  /** The tag of the template that an image becomes, unless the caller says another. */
  public static String tagOf(ImageReference image) {
    return image.digest().map(d -> d.text().replace(':', '-')).orElse(image.tag());
  }

  /**
   * Fetches an image unless it is there.
   *
   * @return how the template that it became is asked for
   */
  public String provideImage(
      ImageReference image,
      Optional<Credentials> credentials,
      BuildLog to,
      Cancellation cancellation) {
    String tag = tagOf(image);
    String reference = image.name() + ":" + tag;
    if (around.catalogue().find(reference).isEmpty()) {
      once(
          reference,
          () ->
              BuildRequest.of(
                  image.name(), List.of(tag), new BuildPlan.FromRegistry(image, credentials)),
          to,
          cancellation);
    }
    return reference;
  }

  /** Whoever asks for the same meanwhile waits for the first. */
  private void once(
      String reference, Supplier<BuildRequest> request, BuildLog to, Cancellation cancellation) {
    String own = Scope.here() + "/" + reference;
    ReentrantLock lock = providing.computeIfAbsent(own, _ -> new ReentrantLock());
    lock.lock();
    try {
      if (around.catalogue().find(reference).isEmpty()) {
        build(request.get(), to, cancellation);
      }
    } finally {
      lock.unlock();
      if (!lock.hasQueuedThreads()) {
        providing.remove(own, lock);
      }
    }
  }
}
