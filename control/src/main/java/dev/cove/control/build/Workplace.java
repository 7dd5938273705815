package dev.cove.control.build;

import dev.cove.control.layer.Layers;
import dev.cove.guest.Guest;
import dev.cove.guest.GuestFiles.UnpackRules;
import dev.cove.model.Base;
import dev.cove.model.CoveException;
import dev.cove.model.LayerId;
import dev.cove.model.Resources;
import dev.cove.model.SandboxId;
import dev.cove.model.SandboxSpec;
import dev.cove.model.SandboxTemplate;
import dev.cove.model.Tier;
import dev.cove.model.crash.FailPoint;
import dev.cove.model.network.NetworkPolicy;
import dev.cove.model.network.NetworkSettings;
import dev.cove.model.network.Preset;
import dev.cove.node.Node;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A sandbox of no owner's in which something is made. Whatever is put into it can harm nothing
 * else, and after a crash it is swept away with all that no record points to.
 */
final class Workplace implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Workplace.class);
  static final Resources RESOURCES = new Resources(2_000, 2_048, 32_768, 4_096);

  /** What builds are made of comes from there, and nothing is sent anywhere else. */
  private static final NetworkSettings NETWORK =
      NetworkSettings.NOTHING.with(
          NetworkPolicy.NOTHING.alsoAllowing(Preset.PACKAGES).alsoAllowing(Preset.GIT));

  /** Of files that are put into it; their bytes are limited by its disk. */
  static final UnpackRules FILES = new UnpackRules(false, ImageInstall.MAX_ENTRIES, Long.MAX_VALUE);

  private final Node node;
  private final Layers layers;
  private final Layers.Pin pin;
  private final Cancellation cancellation;
  private Optional<SandboxId> place = Optional.empty();
  private Optional<Standing> standing = Optional.empty();

  private record Standing(Base base, List<LayerId> layers) {}

  /**
   * @param pin holds what it stands on, and what it makes
   */
  Workplace(Node node, Layers layers, Layers.Pin pin, Cancellation cancellation) {
    this.node = node;
    this.layers = layers;
    this.pin = pin;
    this.cancellation = cancellation;
    cancellation.onCancel(this::close);
  }

  /** The agent of a sandbox over these layers, and over nothing else that was written. */
  Guest on(Base base, List<LayerId> wanted) {
    cancellation.check();
    var here = new Standing(base, List.copyOf(wanted));
    synchronized (this) {
      if (place.isPresent() && standing.equals(Optional.of(here))) {
        return node.guest(place.get());
      }
      close();
      start(here);
      return node.guest(place.orElseThrow());
    }
  }

  private void start(Standing here) {
    var template = new SandboxTemplate("build", here.base(), "root", "", List.of());
    var spec =
        new SandboxSpec("build", template, Tier.CONTAINER, RESOURCES, Map.of(), Map.of())
            .withNetwork(NETWORK);
    SandboxId id = node.reserve(spec, here.layers()).id();
    place = Optional.of(id);
    try {
      node.start(id, spec, here.layers());
    } catch (CoveException e) {
      close();
      throw e;
    }
    standing = Optional.of(here);
  }

  /** Makes a layer of what was written since: all layers that there are now, held by the pin. */
  List<LayerId> seal() {
    cancellation.check();
    synchronized (this) {
      Standing before = standing.orElseThrow();
      return layers.using(() -> {
        Node.Sealed sealed = node.seal(place.orElseThrow());
        pin.add(sealed.layers());
        FailPoint.STEP_SEALED.reached();
        if (sealed.copied()) {
          close(); // it still has what it wrote, which is no part of what comes next
        } else {
          standing = Optional.of(new Standing(before.base(), sealed.layers()));
        }
        return sealed.layers();
      });
    }
  }

  @Override
  public synchronized void close() {
    standing = Optional.empty();
    place.ifPresent(id -> {
      try {
        node.remove(id);
      } catch (CoveException e) {
        log.warn("workplace {} could not be removed", id, e);
      }
    });
    place = Optional.empty();
  }
}
