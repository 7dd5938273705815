package dev.cove.control.build;

import dev.cove.control.template.Catalogue;
import dev.cove.control.template.TemplateVersion;
import dev.cove.control.view.Views;
import dev.cove.guest.GuestFiles.PackRules;
import dev.cove.node.image.Digest;
import dev.cove.node.image.ImageArchive;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/** Writes a template as an image that other programs can load: one layer with all its files. */
public final class ImageExport {
  private final Catalogue catalogue;
  private final Views views;
  private final Spool spool;

  public ImageExport(Catalogue catalogue, Views views, Spool spool) {
    this.catalogue = catalogue;
    this.views = views;
    this.spool = spool;
  }

  /** An image whose layer stands ready in a file. */
  public record Ready(TemplateVersion version, Upload layer, Digest content)
      implements AutoCloseable {
    public void writeTo(OutputStream out) throws IOException {
      ImageArchive.write(
          version.name() + ":" + version.number(),
          layer.file(),
          content,
          new ImageArchive.Settings(
              version.template().user(),
              version.template().cwd(),
              version.env(),
              version.template().entrypoint()),
          out);
    }

    @Override
    public void close() {
      layer.close();
    }
  }

  /** Packs the files; this is what takes time, and what may fail. */
  public Ready prepare(String reference) throws IOException {
    TemplateVersion version = catalogue.require(reference);
    try (var view = views.open(version.template().base(), version.layers());
        InputStream tar = view.files("0").pack("/", new PackRules(ImageInstall.MAX_ENTRIES));
        var hashed = new ImageArchive.CompressedLayer(tar)) {
      Upload layer = spool.keep(hashed);
      return new Ready(version, layer, hashed.content());
    }
  }
}
