package dev.cove.edge.system;

import dev.cove.control.layer.DiskUse;
import dev.cove.control.layer.Layers;
import dev.cove.control.volume.Volumes;
import dev.cove.edge.http.Exchange;
import dev.cove.edge.http.Route;
import java.io.IOException;
import java.util.List;

/** What is on the server's disk, and the end of what nobody needs. */
public final class DiskRoutes {
  private final Layers layers;
  private final Volumes volumes;

  public DiskRoutes(Layers layers, Volumes volumes) {
    this.layers = layers;
    this.volumes = volumes;
  }

  public List<Route> routes() {
    return List.of(
        Route.of("GET", "/api/v1/system/disk", this::disk).forOperators(),
        Route.of("POST", "/api/v1/system/prune", this::prune).forOperators());
  }

  private void disk(Exchange exchange) throws IOException {
    DiskUse use = layers.use().and(volumes.diskUse());
    exchange.sendLong(
        200,
        new DiskBody(
            use.space().totalBytes(),
            use.space().freeBytes(),
            use.layers(),
            use.unused(),
            use.shares()));
  }

  private void prune(Exchange exchange) {
    exchange.send(200, new PrunedBody(layers.prune()));
  }

  record DiskBody(
      long totalBytes,
      long freeBytes,
      DiskUse.Part layers,
      DiskUse.Part unused,
      List<DiskUse.Share> items) {}

  record PrunedBody(long freedBytes) {}
}
