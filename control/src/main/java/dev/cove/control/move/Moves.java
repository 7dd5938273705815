package dev.cove.control.move;

import dev.cove.control.build.Upload;
import dev.cove.control.checkpoint.Checkpoint;
import dev.cove.control.checkpoint.Checkpoints;
import dev.cove.control.layer.Layers;
import dev.cove.control.ledger.LifeText;
import dev.cove.control.ledger.NetworkText;
import dev.cove.control.template.Catalogue;
import dev.cove.control.template.TemplateVersion;
import dev.cove.control.template.TemplateVersion.Service;
import dev.cove.model.Base;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import dev.cove.model.LayerDescription;
import dev.cove.model.LayerId;
import dev.cove.model.ResourceWish;
import dev.cove.model.Resources;
import dev.cove.model.SandboxTemplate;
import dev.cove.model.Tier;
import dev.cove.model.crash.FailPoint;
import dev.cove.node.Node;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Writes checkpoints and templates to files, and makes them of files again. */
public final class Moves {
  private static final Path RELEASE = Path.of("/etc/os-release");

  private final Node node;
  private final Layers layers;
  private final Checkpoints checkpoints;
  private final Catalogue catalogue;

  public Moves(Node node, Layers layers, Checkpoints checkpoints, Catalogue catalogue) {
    this.node = node;
    this.layers = layers;
    this.checkpoints = checkpoints;
    this.catalogue = catalogue;
  }

  /** Something that can be written, checked before the first byte is. Holds its layers. */
  public static final class Export implements AutoCloseable {
    private final Manifest manifest;
    private final CheckedFile.Content content;
    private final Layers.Pin pin;

    private Export(Manifest manifest, CheckedFile.Content content, Layers.Pin pin) {
      this.manifest = manifest;
      this.content = content;
      this.pin = pin;
    }

    public void writeTo(OutputStream out) throws IOException {
      ExportFile.write(manifest, content, out);
    }

    @Override
    public void close() {
      pin.close();
    }
  }

  /** With the variables that its sandbox had: a checkpoint's owner moves his own. */
  public Export ofCheckpoint(Checkpoint checkpoint) {
    SandboxTemplate template = checkpoint.template();
    Resources resources = checkpoint.resources();
    return export(
        checkpoint.layers(),
        described ->
            new Manifest(
                Manifest.CHECKPOINT,
                checkpoint.name(),
                "sandbox " + checkpoint.sandbox(),
                template.base().publicName(),
                release(template.base()),
                template.name(),
                template.user(),
                template.cwd(),
                template.entrypoint(),
                checkpoint.env(),
                List.of(),
                List.of(),
                checkpoint.tier().publicName(),
                resources.milliCpus(),
                resources.memoryMb(),
                resources.diskMb(),
                resources.maxProcesses(),
                described,
                NetworkText.encode(template.network()),
                LifeText.encode(template.life())));
  }

  public Export ofTemplate(String reference) {
    TemplateVersion version = catalogue.require(reference);
    if (version.layers().isEmpty()) {
      throw new CoveException(
          ErrorCode.CONFLICT, "Template %s is nothing but this host.".formatted(reference));
    }
    SandboxTemplate template = version.template();
    Resources resources = version.content().limits().over(Resources.DEFAULT);
    return export(
        version.layers(),
        described ->
            new Manifest(
                Manifest.TEMPLATE,
                version.name(),
                version.origin(),
                template.base().publicName(),
                release(template.base()),
                version.name(),
                template.user(),
                template.cwd(),
                template.entrypoint(),
                version.env(),
                version.content().service().command(),
                version.content().service().ready(),
                Tier.CONTAINER.publicName(),
                resources.milliCpus(),
                resources.memoryMb(),
                resources.diskMb(),
                resources.maxProcesses(),
                described,
                NetworkText.encode(template.network()),
                LifeText.encode(template.life())));
  }

  /** Makes a manifest around the layers. */
  private interface Describing {
    Manifest around(List<LayerDescription> described);
  }

  private Export export(List<LayerId> stack, Describing describing) {
    Layers.Pin pin = layers.pin();
    boolean ready = false;
    try {
      layers.using(() -> {
        pin.add(stack);
        return true;
      });
      Manifest manifest = describing.around(stack.stream().map(node::describeLayer).toList());
      ready = true;
      return new Export(
          manifest,
          out -> {
            for (LayerId layer : stack) {
              node.exportLayer(layer, out);
            }
          },
          pin);
    } finally {
      if (!ready) {
        pin.close();
      }
    }
  }

  private static String release(Base base) {
    if (base == Base.EMPTY) {
      return "";
    }
    try {
      return Files.readAllLines(RELEASE).stream()
          .filter(line -> line.startsWith("ID=") || line.startsWith("VERSION_ID="))
          .sorted()
          .reduce("", (all, line) -> all.isEmpty() ? line : all + " " + line)
          .replace("\"", "");
    } catch (IOException e) {
      return "unknown";
    }
  }

  /** What came of a file. */
  public sealed interface Imported {
    record OfCheckpoint(Checkpoint checkpoint) implements Imported {}

    record OfTemplate(TemplateVersion version) implements Imported {}
  }

  /**
   * Makes what a file holds, or nothing.
   *
   * @param name what to call it instead
   * @throws CoveException UNSUPPORTED when the file is damaged or does not fit this machine
   */
  public Imported take(Upload file, Optional<String> name) throws IOException {
    ExportFile.verify(file.file());
    try (InputStream content = ExportFile.open(file.file())) {
      Manifest manifest = ExportFile.manifest(content);
      requireFits(manifest);
      return take(manifest, name.orElse(manifest.name()), content);
    } catch (IllegalArgumentException e) {
      throw ExportFile.refusal(String.valueOf(e.getMessage()));
    }
  }

  private void requireFits(Manifest manifest) {
    Base base = baseOf(manifest);
    if (!manifest.release().equals(release(base))) {
      throw ExportFile.refusal(
          "it lies over the programs of a host with %s, and this one has %s"
              .formatted(manifest.release(), release(base)));
    }
    List<String> parts = node.partsOf(base);
    if (manifest.layers().stream().anyMatch(layer -> !layer.parts().equals(parts))) {
      throw ExportFile.refusal("its layers lie over other folders than this host has");
    }
  }

  private static Base baseOf(Manifest manifest) {
    return Base.find(manifest.base())
        .orElseThrow(() -> new IllegalArgumentException("its base is unknown"));
  }

  private Imported take(Manifest manifest, String name, InputStream content) {
    List<LayerId> stack = manifest.layers().stream().map(_ -> LayerId.random()).toList();
    try (Layers.Pin pin = layers.pin()) {
      pin.add(stack);
      for (int i = 0; i < stack.size(); i++) {
        node.importLayer(stack.get(i), manifest.layers().get(i), content);
        FailPoint.IMPORT_LAYER_TAKEN.reached();
      }
      return manifest.kind().equals(Manifest.TEMPLATE)
          ? template(manifest, name, stack)
          : checkpoint(manifest, name, stack);
    } catch (IOException e) {
      throw ExportFile.refusal("a layer cannot be read: " + e.getMessage());
    }
  }

  private static SandboxTemplate templateOf(Manifest manifest) {
    return new SandboxTemplate(
        manifest.template(),
        baseOf(manifest),
        manifest.user(),
        manifest.cwd(),
        manifest.entrypoint(),
        NetworkText.decode(manifest.network()),
        LifeText.decode(manifest.life()));
  }

  private Imported template(Manifest manifest, String name, List<LayerId> stack) {
    return new Imported.OfTemplate(
        catalogue.add(
            name,
            List.of(),
            manifest.origin(),
            new TemplateVersion.Content(
                templateOf(manifest),
                manifest.env(),
                stack,
                new Service(manifest.start(), manifest.ready()),
                limits(manifest))));
  }

  /** What a template does not say is the usual in its file; it stays unsaid here. */
  private static ResourceWish limits(Manifest manifest) {
    Resources usual = Resources.DEFAULT;
    return new ResourceWish(
        Optional.of(manifest.milliCpus()).filter(said -> said != usual.milliCpus()),
        Optional.of(manifest.memoryMb()).filter(said -> said != usual.memoryMb()),
        Optional.of(manifest.diskMb()).filter(said -> said != usual.diskMb()),
        Optional.of(manifest.maxProcesses()).filter(said -> said != usual.maxProcesses()));
  }

  private Imported checkpoint(Manifest manifest, String name, List<LayerId> stack) {
    Tier tier =
        Tier.find(manifest.tier())
            .orElseThrow(() -> new IllegalArgumentException("its tier is unknown"));
    var resources =
        new Resources(
            manifest.milliCpus(), manifest.memoryMb(), manifest.diskMb(), manifest.maxProcesses());
    Map<String, String> env = manifest.env();
    return new Imported.OfCheckpoint(
        checkpoints.add(name, templateOf(manifest), tier, resources, env, stack));
  }
}
