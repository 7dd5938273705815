package dev.cove.sdk;

import dev.cove.sdk.json.Json;
import dev.cove.sdk.json.JsonObject;
import dev.cove.sdk.transport.Body;
import dev.cove.sdk.transport.Request;
import java.io.InputStream;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * What sandboxes start from. A template is asked for by name, {@code name:tag} or {@code
 * name@version}; the name alone means the tag latest.
 */
public final class Templates {
  private static final String PATH = Api.ROOT + "/templates";
  private static final String ARCHIVE = "application/x-tar";

  /** A build may be silent for as long as one of its steps, and all of it takes at most an hour. */
  private static final Duration SILENCE_LIMIT = Duration.ofMinutes(65);

  private final Api api;

  Templates(Api api) {
    this.api = api;
  }

  /** By name, then the newest version first. */
  public List<Template> list() {
    return api.fetch(PATH, json -> json.objects("items").stream().map(Template::of).toList());
  }

  /**
   * The version that is meant.
   *
   * @throws CoveApiException with code {@code not_found} when there is none
   */
  public Template require(String reference) {
    return api.fetch(pathOf(reference), Template::of);
  }

  public Optional<Template> find(String reference) {
    try {
      return Optional.of(require(reference));
    } catch (CoveApiException e) {
      if (e.status() == 404) {
        return Optional.empty();
      }
      throw e;
    }
  }

  /** What an image of a registry became when it was fetched, as {@code alpine:3.22}. */
  public Optional<Template> findImage(String image) {
    return find(ImageName.toTemplate(image));
  }

  /**
   * Removes a tag where one is named, a version where one is named, and all versions of a name
   * otherwise. Sandboxes that began with them stay.
   */
  public void remove(String reference) {
    api.order(Request.of("DELETE", pathOf(reference)));
  }

  /** Lets a tag point to a version that there is. */
  public Template tag(String reference, String tag) {
    return api.call(
        Request.of("PUT", pathOf(reference) + "/tags/" + Api.encode(tag)), Template::of);
  }

  public Template build(TemplateBuild build) {
    return build(build, BuildListener.silent());
  }

  /**
   * Makes a template and returns when it is there.
   *
   * @throws CoveApiException when it can't be made; then nothing has changed
   */
  public Template build(TemplateBuild build, BuildListener listener) {
    JsonObject json = build.toJson();
    return follow(PATH, Body.json(Json.write(json)), listener);
  }

  /**
   * Makes a template of a folder with a Dockerfile.
   *
   * @param tar the folder's content as tar or tar.gz; read to its end, not closed
   * @throws CoveApiException when it can't be made; then nothing has changed
   */
  public Template buildFromContext(InputStream tar, ContextBuild build, BuildListener listener) {
    return follow(
        PATH + "/from-context" + build.toQuery(), new Body.Streamed(tar, -1, ARCHIVE), listener);
  }

  /**
   * Makes a template of an image in a file, as {@code docker save} and OCI tools write it.
   *
   * @param archive tar or tar.gz; read to its end, not closed
   * @param tags point to the new version from then on; latest when there are none
   * @throws CoveApiException when it can't be made; then nothing has changed
   */
  public Template importArchive(
      InputStream archive, String name, List<String> tags, BuildListener listener) {
    var query = new StringBuilder("?name=" + Api.encode(name));
    tags.forEach(tag -> query.append("&tag=").append(Api.encode(tag)));
    return follow(
        PATH + "/from-archive" + query, new Body.Streamed(archive, -1, ARCHIVE), listener);
  }

  private Template follow(String target, Body body, BuildListener listener) {
    Request request =
        Request.of("POST", target)
            .body(body)
            .header("Accept", "text/event-stream")
            .readTimeout(SILENCE_LIMIT);
    // Leaving this early, for whatever reason, is how the server learns that nobody waits.
    try (var events = new EventReader(api.send(request), "The build")) {
      for (var event = events.next(); event.isPresent(); event = events.next()) {
        switch (event.get().name()) {
          case "step" -> listener.step(event.get().as(Templates::stepOf));
          case "output" -> listener.output(event.get().as(json -> json.requireText("text")));
          case "done" -> {
            return event.get().as(Template::of);
          }
          case "error" -> throw event.get().problem();
          default -> {
            // A later server may have more to say than we understand.
          }
        }
      }
    }
    throw new CoveConnectionException("The server did not say how the build ended");
  }

  private static BuildListener.Step stepOf(JsonObject json) {
    return new BuildListener.Step(
        json.requireInt("number"),
        json.requireInt("of"),
        json.requireText("text"),
        json.flag("cached"));
  }

  private static String pathOf(String reference) {
    return PATH + "/" + Api.encode(reference);
  }
}
