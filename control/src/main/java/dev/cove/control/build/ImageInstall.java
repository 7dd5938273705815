package dev.cove.control.build;

import dev.cove.control.Fingerprint;
import dev.cove.guest.GuestFiles.UnpackRules;
import dev.cove.guest.GuestFiles.Unpacked;
import dev.cove.model.Base;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import dev.cove.model.LayerId;
import dev.cove.model.crash.FailPoint;
import dev.cove.node.image.BadImageException;
import dev.cove.node.image.Image;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Optional;

/**
 * Makes layers of an image's, each unpacked over those below it inside a workplace, by its root.
 *
 * <p>Images that have layers in common share ours: one is found again by its own digest and those
 * of all below it. Where an image has very many, several of its layers make one of ours, because
 * only so many fit under a sandbox.
 */
final class ImageInstall {
  static final long MAX_ENTRIES = 500_000;
  private static final long MAX_BYTES = Workplace.RESOURCES.diskMb() * 1024L * 1024L;
  private static final int MAX_OWN_LAYERS = 16;

  private final Image image;
  private final BuildLayers layers;
  private final Workplace workplace;
  private final BuildLog log;
  private final Cancellation cancellation;
  private long entries;

  ImageInstall(
      Image image,
      BuildLayers layers,
      Workplace workplace,
      BuildLog log,
      Cancellation cancellation) {
    this.image = image;
    this.layers = layers;
    this.workplace = workplace;
    this.log = log;
    this.cancellation = cancellation;
  }

  Foundation run() {
    List<Image.Layer> all = image.layers();
    int group = (all.size() + MAX_OWN_LAYERS - 1) / MAX_OWN_LAYERS;
    List<LayerId> below = List.of();
    String key = new Fingerprint().add("image").hex();
    for (int from = 0; from < all.size(); from += group) {
      List<Image.Layer> part = all.subList(from, Math.min(all.size(), from + group));
      for (Image.Layer layer : part) {
        key = new Fingerprint().add(key).add(layer.content().text()).hex();
      }
      Optional<List<LayerId>> known = layers.find(key);
      for (int i = 0; i < part.size(); i++) {
        String text = "layer %.19s, %s".formatted(part.get(i).blob(), size(part.get(i).size()));
        log.step(new BuildLog.Progress(from + i + 1, all.size(), text, known.isPresent()));
        if (known.isEmpty()) {
          unpack(part.get(i), below);
        }
      }
      below = known.isPresent() ? known.get() : layers.keep(key, workplace);
    }
    return new Foundation(Base.EMPTY, below, Settings.of(image.config()), key);
  }

  private static String size(long bytes) {
    return bytes < 1024 * 1024 ? bytes / 1024 + " KiB" : bytes / 1024 / 1024 + " MiB";
  }

  private void unpack(Image.Layer layer, List<LayerId> below) {
    try (InputStream tar = image.open(layer)) {
      cancellation.onCancel(() -> close(tar));
      var rules = new UnpackRules(true, MAX_ENTRIES - entries, MAX_BYTES);
      Unpacked done = workplace.on(Base.EMPTY, below).files("root").unpack("/", tar, rules);
      tar.transferTo(OutputStream.nullOutputStream()); // its digest is known at its end
      FailPoint.IMAGE_LAYER_UNPACKED.reached();
      entries += done.entries();
      if (done.skipped() > 0) {
        log.output(
            "%d entries were left out, such as %s: a sandbox has devices of its own%n"
                .formatted(done.skipped(), done.firstSkipped()));
      }
    } catch (IOException | UncheckedIOException e) {
      throw refusal(e);
    }
  }

  private static void close(InputStream in) {
    try {
      in.close();
    } catch (IOException _) {
      // it is to end anyway
    }
  }

  /** How what is wrong with an image is told. */
  static CoveException refusal(Exception wrapped) {
    Throwable e =
        wrapped instanceof UncheckedIOException && wrapped.getCause() != null
            ? wrapped.getCause()
            : wrapped;
    ErrorCode code = e instanceof BadImageException ? ErrorCode.UNSUPPORTED : ErrorCode.UNAVAILABLE;
    String message = e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
    return new CoveException(code, message + ".", e);
  }
}
