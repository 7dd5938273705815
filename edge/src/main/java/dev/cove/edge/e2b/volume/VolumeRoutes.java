package dev.cove.edge.e2b.volume;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.cove.control.key.DerivedSecrets;
import dev.cove.control.volume.Volume;
import dev.cove.control.volume.Volumes;
import dev.cove.edge.e2b.E2bDialect;
import dev.cove.edge.http.Exchange;
import dev.cove.edge.http.Fields;
import dev.cove.edge.http.Route;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import dev.cove.model.VolumeId;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Volumes themselves. */
public final class VolumeRoutes {
  private static final String ALL = E2bDialect.ROOT + "/volumes";
  private static final String ONE = ALL + "/{volume}";

  /** E2B's have no size. An image takes only as much of the disk as is written. */
  private static final int SIZE_MB = 10_240;

  private final Volumes volumes;
  private final VolumeTokens tokens;

  public VolumeRoutes(Volumes volumes, DerivedSecrets secrets) {
    this.volumes = volumes;
    this.tokens = new VolumeTokens(secrets);
  }

  public List<Route> routes() {
    var routes =
        new ArrayList<>(
            List.of(
                Route.of("POST", ALL, this::create),
                Route.of("GET", ALL, this::list),
                Route.of("GET", ONE, this::show),
                Route.of("DELETE", ONE, this::delete)));
    routes.addAll(new ContentRoutes(volumes, tokens).routes());
    return routes;
  }

  record NewBody(@Nullable String name) {}

  record Body(String volumeID, String name) {}

  record OpenBody(
      String volumeID,
      String name,
      String token,
      @JsonInclude(JsonInclude.Include.ALWAYS) @Nullable String domain) {}

  private void create(Exchange exchange) throws IOException {
    String name = Fields.require("name", exchange.looseJson(NewBody.class).name());
    exchange.send(201, open(volumes.create(name, SIZE_MB)));
  }

  private void list(Exchange exchange) {
    exchange.send(
        200,
        volumes.list().stream()
            .filter(volume -> volume.kind() == Volume.Kind.VOLUME)
            .map(volume -> new Body(volume.id().value(), name(volume)))
            .toList());
  }

  private void show(Exchange exchange) {
    exchange.send(200, open(named(volumes, exchange)));
  }

  private void delete(Exchange exchange) {
    volumes.delete(named(volumes, exchange).id().value());
    exchange.sendNothing(204);
  }

  private OpenBody open(Volume volume) {
    return new OpenBody(volume.id().value(), name(volume), tokens.of(volume), null);
  }

  private static String name(Volume volume) {
    return volume.name().orElse(volume.id().value());
  }

  /** By its id alone. */
  static Volume named(Volumes volumes, Exchange exchange) {
    String id = exchange.path("volume");
    if (!VolumeId.isValid(id)) {
      throw new CoveException(ErrorCode.NOT_FOUND, "There is no volume of that id");
    }
    return volumes.require(id);
  }
}
