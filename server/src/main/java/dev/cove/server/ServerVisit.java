package dev.cove.server;

import dev.cove.engine.EngineReport.Finding;
import dev.cove.engine.EngineReport.Severity;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Asks the server of a home, if one runs, how it and its parts are. */
final class ServerVisit {
  private static final Duration PATIENCE = Duration.ofSeconds(5);
  private static final String SUBJECT = "server";

  private ServerVisit() {}

  static List<Finding> of(Home home) {
    String url = "";
    try {
      url = read(Files.readString(home.announcement())).path("url").asString();
      return findings(url, ask(url + "/api/v1/system", Files.readString(home.localKey()).strip()));
    } catch (NoSuchFileException _) {
      return List.of(new Finding(Severity.OK, SUBJECT, "None runs in " + home.data()));
    } catch (IOException | IllegalArgumentException e) {
      return List.of(
          new Finding(
              Severity.WARNING,
              SUBJECT,
              "%s says that one is at %s, but it does not answer (%s). If its process is gone, start it again; else its log says why"
                  .formatted(home.announcement(), url, e)));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return List.of();
    }
  }

  private static List<Finding> findings(String url, JsonNode system) {
    var findings = new ArrayList<Finding>();
    findings.add(
        new Finding(
            Severity.OK,
            SUBJECT,
            "Cove %s at %s: %d of %d sandboxes, %d warm cages, %d MB of memory available"
                .formatted(
                    system.path("version").asString(),
                    url,
                    system.path("sandboxes").asInt(),
                    system.path("maxSandboxes").asInt(),
                    system.path("warm").asInt(),
                    system.path("memoryAvailableBytes").asLong() >> 20)));
    for (JsonNode part : system.path("parts")) {
      boolean well = part.path("status").asString().equals("ok");
      findings.add(
          new Finding(
              well ? Severity.OK : Severity.WARNING,
              SUBJECT + "'s " + part.path("name").asString(),
              well ? "Well" : part.path("detail").asString()));
    }
    return findings;
  }

  private static JsonNode ask(String url, String key) throws IOException, InterruptedException {
    var request =
        HttpRequest.newBuilder(URI.create(url))
            .timeout(PATIENCE)
            .header("Authorization", "Bearer " + key)
            .build();
    try (var client = HttpClient.newBuilder().connectTimeout(PATIENCE).build()) {
      HttpResponse<String> answer = client.send(request, BodyHandlers.ofString());
      if (answer.statusCode() != 200) {
        throw new IOException("status " + answer.statusCode());
      }
      return read(answer.body());
    }
  }

  private static JsonNode read(String json) throws IOException {
    try {
      return JsonMapper.shared().readTree(json);
    } catch (JacksonException e) {
      throw new IOException("no JSON", e);
    }
  }
}
