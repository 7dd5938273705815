package dev.cove.edge.volume;

import dev.cove.control.volume.OpenVolume;
import dev.cove.control.volume.Volumes;
import dev.cove.edge.exec.GuestUser;
import dev.cove.edge.file.FileRoutes;
import dev.cove.edge.file.FilesBelow;
import dev.cove.edge.file.ListingBudget;
import dev.cove.edge.file.OpenFiles;
import dev.cove.edge.http.Exchange;
import dev.cove.guest.CommandSpec;

/** The files of volumes, without a sandbox. */
public final class VolumeFiles {
  private final Volumes volumes;

  public VolumeFiles(Volumes volumes) {
    this.volumes = volumes;
  }

  public FileRoutes routes(ListingBudget listings) {
    return new FileRoutes(
        VolumeRoutes.ONE + "/files",
        exchange -> open(exchange, true),
        exchange -> open(exchange, false),
        listings);
  }

  private OpenFiles open(Exchange exchange, boolean readOnly) {
    String user =
        GuestUser.require(exchange.query().find("user").orElse(null), CommandSpec.DEFAULT_USER);
    OpenVolume open = volumes.open(exchange.path("volume"), readOnly);
    boolean handedOn = false;
    try {
      var files = new OpenFiles(new FilesBelow(open.files(user), open.folder()), open::close);
      handedOn = true;
      return files;
    } finally {
      if (!handedOn) {
        open.close();
      }
    }
  }
}
