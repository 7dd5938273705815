package dev.cove.sdk;

import dev.cove.sdk.json.Json;
import dev.cove.sdk.json.JsonObject;
import dev.cove.sdk.json.JsonValue;
import dev.cove.sdk.transport.Request;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** Addresses that the server tells of events. */
public final class Webhooks {
  private static final String PATH = Api.ROOT + "/webhooks";

  private final Api api;

  Webhooks(Api api) {
    this.api = api;
  }

  /**
   * A webhook.
   *
   * @param types of the events that it hears of; none for all
   * @param delivered the event up to which it has heard everything
   * @param failures in a row, up to now
   * @param droppedDeadLetters events that it never heard of and that are not kept any more
   */
  public record Webhook(
      String id,
      String url,
      List<String> types,
      boolean enabled,
      Instant createdAt,
      long delivered,
      int failures,
      Optional<String> error,
      long droppedDeadLetters) {
    public Webhook {
      types = List.copyOf(types);
    }

    static Webhook of(JsonObject json) {
      return new Webhook(
          json.requireText("id"),
          json.requireText("url"),
          json.texts("types"),
          json.flag("enabled"),
          json.requireInstant("createdAt"),
          json.requireLong("delivered"),
          json.requireInt("failures"),
          json.findText("error"),
          json.requireLong("droppedDeadLetters"));
    }

    JsonObject.Builder toBody() {
      var json =
          JsonObject.builder()
              .put("id", id)
              .put("url", url)
              .put("types", JsonValue.ofTexts(types))
              .put("enabled", enabled)
              .put("createdAt", createdAt.toString())
              .put("delivered", delivered)
              .put("failures", failures)
              .put("droppedDeadLetters", droppedDeadLetters);
      error.ifPresent(why -> json.put("error", why));
      return json;
    }

    /** The same as one line of JSON, with the names that the HTTP API uses. */
    public String toJson() {
      return Json.writeText(toBody().build());
    }
  }

  /**
   * A webhook with a new secret.
   *
   * @param secret that its messages are signed with; shown this once
   */
  public record NewWebhook(Webhook webhook, String secret) {
    static NewWebhook of(JsonObject json) {
      return new NewWebhook(Webhook.of(json), json.requireText("secret"));
    }

    /** The same as one line of JSON, the secret included. */
    public String toJson() {
      return Json.writeText(webhook.toBody().put("secret", secret).build());
    }

    @Override
    public String toString() {
      return "NewWebhook[" + webhook.id() + "]";
    }
  }

  /** What became of an attempt: whether it was taken, and how it was answered or why it failed. */
  public record Attempt(boolean taken, String outcome) {}

  /** An event that a webhook never heard of. */
  public record DeadLetter(Event event, Instant failedAt, String error) {
    static DeadLetter of(JsonObject json) {
      return new DeadLetter(
          Event.of(json.requireObject("event")),
          json.requireInstant("failedAt"),
          json.requireText("error"));
    }
  }

  /**
   * What became of dead letters.
   *
   * @param error of the one at which it ended, if there was one
   */
  public record Retried(int delivered, int remaining, Optional<String> error) {}

  /**
   * @param types such as sandbox.failed, or sandbox.* for all of a kind; none for all
   */
  public NewWebhook create(String url, List<String> types) {
    JsonObject body =
        JsonObject.builder().put("url", url).put("types", JsonValue.ofTexts(types)).build();
    return api.call("POST", PATH, body, NewWebhook::of);
  }

  public List<Webhook> list() {
    return api.fetch(PATH, json -> json.objects("items").stream().map(Webhook::of).toList());
  }

  public Webhook require(String id) {
    return api.fetch(one(id), Webhook::of);
  }

  /** Goes on with it, or stops until it is enabled again; what happens meanwhile it hears later. */
  public Webhook enable(String id, boolean enabled) {
    return api.call(
        "PATCH", one(id), JsonObject.builder().put("enabled", enabled).build(), Webhook::of);
  }

  public Webhook redirect(String id, String url) {
    return api.call("PATCH", one(id), JsonObject.builder().put("url", url).build(), Webhook::of);
  }

  public Webhook retype(String id, List<String> types) {
    return api.call(
        "PATCH",
        one(id),
        JsonObject.builder().put("types", JsonValue.ofTexts(types)).build(),
        Webhook::of);
  }

  /** From now on messages are signed with another secret. */
  public NewWebhook newSecret(String id) {
    return api.call(
        "PATCH", one(id), JsonObject.builder().put("newSecret", true).build(), NewWebhook::of);
  }

  public void remove(String id) {
    api.order(Request.of("DELETE", one(id)));
  }

  /** Tells it of something that did not happen, now. */
  public Attempt test(String id) {
    return api.call(
        Request.of("POST", one(id) + "/test"),
        json -> new Attempt(json.flag("taken"), json.requireText("outcome")));
  }

  public List<DeadLetter> deadLetters(String id) {
    return api.fetch(
        one(id) + "/dead-letters",
        json -> json.objects("items").stream().map(DeadLetter::of).toList());
  }

  /**
   * Tells it of dead letters again, the oldest first, until one is refused or a hundred are told.
   *
   * @param event only that one
   */
  public Retried retry(String id, OptionalLong event) {
    String only = event.isPresent() ? "?event=" + event.getAsLong() : "";
    return api.call(
        Request.of("POST", one(id) + "/dead-letters/retry" + only),
        json ->
            new Retried(
                json.requireInt("delivered"),
                json.requireInt("remaining"),
                json.findText("error")));
  }

  private static String one(String id) {
    return PATH + "/" + Api.encode(id);
  }
}
