package dev.cove.edge.volume;

import dev.cove.control.volume.Volume;
import dev.cove.control.volume.Volumes;
import dev.cove.edge.http.Exchange;
import dev.cove.edge.http.Fields;
import dev.cove.edge.http.Route;
import dev.cove.model.VolumeId;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The routes of volumes and their checkpoints. */
public final class VolumeRoutes {
  public static final String ONE = "/api/v1/volumes/{volume}";
  private static final String ALL = "/api/v1/volumes";

  private final Volumes volumes;

  public VolumeRoutes(Volumes volumes) {
    this.volumes = volumes;
  }

  public List<Route> routes() {
    return List.of(
        Route.of("POST", ALL, this::create),
        Route.of("GET", ALL, this::list),
        Route.of("GET", ONE, this::show),
        Route.of("DELETE", ONE, this::delete),
        Route.of("POST", ONE + "/checkpoints", this::checkpoint),
        Route.of("GET", ONE + "/checkpoints", this::checkpoints),
        Route.of("POST", ONE + "/fork", this::fork));
  }

  private void create(Exchange exchange) throws IOException {
    NewBody body = exchange.json(NewBody.class);
    String name = Fields.require("name", body.name());
    if (body.from() == null) {
      sendMade(exchange, volumes.create(name, Fields.require("sizeMb", body.sizeMb())));
      return;
    }
    if (body.sizeMb() != null) {
      throw new IllegalArgumentException(
          "sizeMb is that of the volume it begins with and must not be given with from");
    }
    sendMade(exchange, volumes.fork(body.from(), name));
  }

  private void fork(Exchange exchange) throws IOException {
    String name = Fields.require("name", exchange.json(ForkBody.class).name());
    sendMade(exchange, volumes.fork(exchange.path("volume"), name));
  }

  private void checkpoint(Exchange exchange) {
    sendMade(exchange, volumes.checkpoint(exchange.path("volume")));
  }

  private void sendMade(Exchange exchange, Volume made) {
    exchange.withHeader("Location", ALL + "/" + made.id()).send(201, body(made));
  }

  private void list(Exchange exchange) throws IOException {
    send(exchange, volumes.list());
  }

  private void checkpoints(Exchange exchange) throws IOException {
    send(exchange, volumes.checkpointsOf(exchange.path("volume")));
  }

  private void send(Exchange exchange, List<Volume> found) throws IOException {
    exchange.sendLong(200, new ListBody(found.stream().map(this::body).toList()));
  }

  private void show(Exchange exchange) {
    exchange.send(200, body(volumes.require(exchange.path("volume"))));
  }

  private void delete(Exchange exchange) {
    volumes.delete(exchange.path("volume"));
    exchange.sendNothing(204);
  }

  private VolumeBody body(Volume volume) {
    return new VolumeBody(
        volume.id().value(),
        volume.kind().publicName(),
        volume.name(),
        volume.sizeMb(),
        volumes.bytes(volume),
        volume.createdAt(),
        volume.parent().map(VolumeId::value),
        volumes.mountedBy(volume));
  }

  record NewBody(@Nullable String name, @Nullable Integer sizeMb, @Nullable String from) {}

  record ForkBody(@Nullable String name) {}

  record ListBody(List<VolumeBody> items) {}

  /**
   * A volume as callers see it.
   *
   * @param bytes what it takes on the server's disk
   * @param mountedBy ids of sandboxes
   */
  record VolumeBody(
      String id,
      String kind,
      Optional<String> name,
      int sizeMb,
      long bytes,
      Instant createdAt,
      Optional<String> parent,
      List<String> mountedBy) {}
}
