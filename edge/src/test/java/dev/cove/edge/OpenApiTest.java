package dev.cove.edge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cove.edge.RunningEdge.Answer;
import dev.harrel.jsonschema.Validator;
import dev.harrel.jsonschema.ValidatorFactory;
import java.net.URI;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;

class OpenApiTest {
  @RegisterExtension static final RunningEdge EDGE = new RunningEdge();
  private static final URI BASE = URI.create("urn:cove:openapi");
  private static JsonNode document = RunningEdge.JSON.createObjectNode();
  private static final Set<String> SEEN = new HashSet<>();

  @BeforeAll
  static void fetch() {
    document = EDGE.get("/api/openapi.json").json();
  }

  @Test
  void every_route_is_described_and_every_description_is_a_route() {
    var described = new TreeSet<String>();
    document
        .get("paths")
        .properties()
        .forEach(path ->
            path.getValue()
                .properties()
                .forEach(operation ->
                    described.add(
                        operation.getKey().toUpperCase(Locale.ROOT)
                            + " "
                            + path.getKey()
                            + " "
                            + queryNames(operation.getValue())
                            + (operation.getValue().has("security") ? " open" : ""))));
    var served = new TreeSet<String>();
    EDGE.server()
        .routes()
        .forEach(route ->
            served.add(
                route.method()
                    + " "
                    + route.path()
                    + " "
                    + new TreeSet<>(route.query())
                    + (route.open() ? " open" : "")));
    assertThat(described).isEqualTo(served);
  }

  private static Set<String> queryNames(JsonNode operation) {
    var names = new TreeSet<String>();
    for (JsonNode parameter : operation.path("parameters")) {
      JsonNode resolved = resolve(parameter);
      if (resolved.get("in").asString().equals("query")) {
        names.add(resolved.get("name").asString());
      }
    }
    return names;
  }

  private static JsonNode resolve(JsonNode node) {
    return node.has("$ref") ? document.at(node.get("$ref").asString().substring(1)) : node;
  }

  @Test
  void every_reference_leads_somewhere_and_every_id_is_used_once() {
    var ids = new HashSet<String>();
    for (JsonNode ref : document.findValues("$ref")) {
      assertThat(document.at(ref.asString().substring(1)).isMissingNode())
          .as(ref.asString())
          .isFalse();
    }
    for (JsonNode id : document.findValues("operationId")) {
      assertThat(ids.add(id.asString())).as(id.asString()).isTrue();
    }
  }

  @Test
  void every_example_is_valid() {
    for (var path : document.get("paths").properties()) {
      for (var operation : path.getValue().properties()) {
        String where = "/paths/" + pointer(path.getKey()) + "/" + operation.getKey();
        checkExample(where + "/requestBody/content/application~1json");
        for (String status : operation.getValue().get("responses").propertyNames()) {
          JsonNode response = operation.getValue().get("responses").get(status);
          String at =
              response.has("$ref")
                  ? response.get("$ref").asString().substring(1)
                  : where + "/responses/" + status;
          checkExample(at + "/content/application~1json");
          checkExample(at + "/content/application~1problem+json");
        }
      }
    }
  }

  private static void checkExample(String mediaType) {
    JsonNode example = document.at(mediaType + "/example");
    if (!example.isMissingNode()) {
      assertValid(mediaType + "/schema", example, mediaType);
    }
  }

  @Test
  void every_answer_is_as_described() throws Exception {
    Path work = EDGE.work();
    check("GET", "/healthz", "/healthz", "");
    check("GET", "/readyz", "/readyz", "");
    check("GET", "/api/v1/system/backup?keys=perhaps", "/api/v1/system/backup", "");
    check("GET", "/api/v1/system", "/api/v1/system", "");
    check("POST", "/api/v1/system/prune", "/api/v1/system/prune", "");
    check("GET", "/no", "/api/v1/system", "");
    var key = check("POST", "/api/v1/keys", "/api/v1/keys", "{\"name\":\"k\"}");
    check("POST", "/api/v1/keys", "/api/v1/keys", "{\"name\":1}");
    check("GET", "/api/v1/keys", "/api/v1/keys", "");
    check("DELETE", "/api/v1/keys/" + key.json().get("id").asString(), "/api/v1/keys/{key}", "");
    check("DELETE", "/api/v1/keys/none", "/api/v1/keys/{key}", "");
    String all = "/api/v1/sandboxes";
    String id = check("POST", all, all, "{\"labels\":{\"a\":\"b\"}}").json().get("id").asString();
    check("POST", all, all, "{\"name\":\"" + id + "\",\"x\":1}");
    check("GET", all + "?limit=1", all, "");
    check("GET", all + "?limit=0", all, "");
    String box = all + "/" + id;
    String one = all + "/{box}";
    check("GET", box, one, "");
    check("GET", box + "x", one, "");
    check("PATCH", box, one, "{\"labels\":{\"a\":null}}");
    checkServices(box, one);
    check("GET", "/api/v1/system/disk", "/api/v1/system/disk", "");
    check("GET", box + "/metrics", one + "/metrics", "");
    check("POST", box + "/exec", one + "/exec", "{\"command\":[\"sh\",\"-c\",\"kill -9 $$\"]}");
    check("POST", box + "/exec", one + "/exec", "{\"command\":[\"echo\",\"hi\"]}");
    check("POST", box + "/exec", one + "/exec", "{\"command\":[\"no-such-program\"]}");
    String processes = box + "/processes";
    var process =
        check(
            "POST",
            processes,
            one + "/processes",
            "{\"command\":[\"sleep\",\"60\"],\"terminal\":{\"rows\":3,\"cols\":4}}");
    String number = processes + "/" + process.json().get("processId");
    check("GET", processes, one + "/processes", "");
    check("GET", number, one + "/processes/{process}", "");
    check("POST", number + "/signal", one + "/processes/{process}/signal", "{\"signal\":9}");
    check("GET", number + "/attach", one + "/processes/{process}/attach", "");
    check("DELETE", number, one + "/processes/{process}", "");
    check("GET", number, one + "/processes/{process}", "");
    String files = box + "/files";
    String file = "?path=" + RunningEdge.encode(work.resolve("f").toString());
    check("PUT", files + file, one + "/files", "content");
    check("GET", files + "/stat" + file, one + "/files/stat", "");
    check(
        "POST",
        files + "/symlink",
        one + "/files/symlink",
        "{\"path\":\"" + work.resolve("l") + "\",\"target\":\"f\"}");
    check(
        "GET",
        files + "/list?path=" + RunningEdge.encode(work.toString()),
        one + "/files/list",
        "");
    check(
        "POST",
        files + "/chmod",
        one + "/files/chmod",
        "{\"path\":\"" + work.resolve("f") + "\",\"mode\":\"0600\"}");
    check(
        "POST", files + "/mkdir", one + "/files/mkdir", "{\"path\":\"" + work.resolve("d") + "\"}");
    check(
        "POST",
        files + "/move",
        one + "/files/move",
        "{\"from\":\"" + work.resolve("f") + "\",\"to\":\"" + work.resolve("g") + "\"}");
    check(
        "POST",
        files + "/move",
        one + "/files/move",
        "{\"from\":\"" + work.resolve("f") + "\",\"to\":\"" + work.resolve("g") + "\"}");
    check("PUT", files + "/archive" + file, one + "/files/archive", "no archive");
    Answer packed = EDGE.get(files + "/archive?path=" + RunningEdge.encode(work.toString()));
    Answer unpacked =
        EDGE.put(
            files + "/archive?path=" + RunningEdge.encode(work.resolve("u").toString()),
            packed.bytes());
    check("PUT", one + "/files/archive", unpacked);
    check("DELETE", files + "?path=" + RunningEdge.encode(work.toString()), one + "/files", "");
    checkPorts(box, one);
    check("DELETE", box, one, "");
    check("DELETE", box, one, "");
    checkTemplates();
    checkVolumes();
    checkEvents();
    assertThat(SEEN).hasSizeGreaterThan(45);
  }

  private static void checkPorts(String box, String one) {
    for (String access : List.of("private", "public", "bearer", "basic", "none")) {
      String body = "{\"access\":\"" + access + "\",\"expiresInSeconds\":60}";
      check("PUT", box + "/ports/3000", one + "/ports/{port}", body);
    }
    check("GET", box + "/ports", one + "/ports", "");
    check("POST", box + "/ports/3000/link", one + "/ports/{port}/link", "{}");
    check("POST", box + "/ports/0/link", one + "/ports/{port}/link", "{}");
    check("DELETE", box + "/ports/3000", one + "/ports/{port}", "");
    check("DELETE", box + "x/ports/3000", one + "/ports/{port}", "");
    check("GET", box + "x/ports", one + "/ports", "");
  }

  private static void checkTemplates() {
    String all = "/api/v1/templates";
    String one = all + "/{template}";
    check("GET", all, all, "");
    check("POST", all, all, "{\"name\":\"mine\",\"from\":\"host\",\"env\":{\"A\":\"b\"}}");
    check("POST", all, all, "{\"name\":\"mine\"}");
    check("POST", all, all, "{\"name\":\"mine\",\"checkpoint\":\"none\"}");
    check("POST", all + "/from-context?name=a", all + "/from-context", "no archive");
    check("POST", all + "/from-archive?name=a", all + "/from-archive", "no archive");
    check("GET", all + "/mine", one, "");
    check("GET", all + "/none", one, "");
    check("PUT", all + "/mine/tags/t", one + "/tags/{tag}", "");
    check("PUT", all + "/none/tags/t", one + "/tags/{tag}", "");
    check("PUT", all + "/host/tags/t", one + "/tags/{tag}", "");
    check("GET", all, all, "");
    check("DELETE", all + "/mine", one, "");
    check("DELETE", all + "/mine", one, "");
    check("DELETE", all + "/host", one, "");
  }

  private static void checkEvents() {
    check("GET", "/api/v1/events?limit=1000", "/api/v1/events", "");
    check("GET", "/api/v1/events?after=99999999", "/api/v1/events", "");
    check("GET", "/api/v1/events?type=x", "/api/v1/events", "");
    String all = "/api/v1/webhooks";
    String one = all + "/{webhook}";
    String id =
        check("POST", all, all, "{\"url\":\"http://h.example/\",\"types\":[\"sandbox.*\"]}")
            .json()
            .get("id")
            .asString();
    check("POST", all, all, "{\"url\":\"nowhere\"}");
    check("GET", all, all, "");
    check("GET", all + "/" + id, one, "");
    check("PATCH", all + "/" + id, one, "{\"enabled\":false,\"newSecret\":true}");
    check("POST", all + "/" + id + "/test", one + "/test", "");
    check("GET", all + "/" + id + "/dead-letters", one + "/dead-letters", "");
    check("POST", all + "/" + id + "/dead-letters/retry", one + "/dead-letters/retry", "");
    check("DELETE", all + "/" + id, one, "");
    check("DELETE", all + "/" + id, one, "");
  }

  private static void checkVolumes() {
    String all = "/api/v1/volumes";
    String one = all + "/{volume}";
    check("POST", all, all, "{\"name\":\"a\",\"sizeMb\":16}");
    check("POST", all, all, "{\"name\":\"a\",\"sizeMb\":16}");
    check("POST", all, all, "{\"name\":\"b\",\"from\":\"a\"}");
    check("POST", all, all, "{\"name\":\"b\"}");
    check("GET", all, all, "");
    check("GET", all + "/a", one, "");
    check("GET", all + "/none", one, "");
    check("POST", all + "/a/fork", one + "/fork", "{\"name\":\"c\"}");
    var kept = check("POST", all + "/a/checkpoints", one + "/checkpoints", "");
    check("GET", all + "/a/checkpoints", one + "/checkpoints", "");
    check("GET", all + "/a/files?path=/x", one + "/files", "");
    check("PUT", all + "/a/files?path=/x", one + "/files", "content");
    check("GET", all + "/a/files/stat?path=/x", one + "/files/stat", "");
    check("DELETE", all + "/" + kept.json().get("id").asString(), one, "");
    for (String name : List.of("a", "b", "c", "c")) {
      check("DELETE", all + "/" + name, one, "");
    }
  }

  private static void checkServices(String box, String one) {
    String all = "/services";
    String wish = "{\"services\":[{\"name\":\"web\",\"command\":[\"sleep\",\"100\"]}]}";
    check("PUT", box + all, one + all, wish);
    check("PUT", box + all, one + all, "{\"services\":[{\"name\":\"Web\",\"command\":[]}]}");
    check("GET", box + all, one + all, "");
    for (String verb : List.of("/restart", "/stop", "/start")) {
      check("POST", box + all + "/web" + verb, one + all + "/{service}" + verb, "");
      check("POST", box + all + "/none" + verb, one + all + "/{service}" + verb, "");
    }
    check("GET", box + "/logs", one + "/logs", "");
    check("GET", box + "/logs?tail=1&stream=cove", one + "/logs", "");
    check("GET", box + "/logs?since=now", one + "/logs", "");
    check("PUT", box + all, one + all, "{\"services\":[]}");
  }

  private static Answer check(String method, String target, String path, String body) {
    Answer answer =
        EDGE.send(
            target,
            request ->
                request.method(
                    method,
                    body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body)));
    if (!target.equals("/no")) {
      check(method, path, answer);
    }
    return answer;
  }

  private static void check(String method, String path, Answer answer) {
    String what = method + " " + path + " -> " + answer;
    String operation = "/paths/" + pointer(path) + "/" + method.toLowerCase(Locale.ROOT);
    JsonNode response = document.at(operation + "/responses/" + answer.status());
    assertThat(response.isMissingNode()).as(what).isFalse();
    String at =
        response.has("$ref")
            ? response.get("$ref").asString().substring(1)
            : operation + "/responses/" + answer.status();
    SEEN.add(method + path + answer.status());
    if (answer.bytes().length == 0) {
      assertThat(resolve(response).has("content")).as(what).isFalse();
      return;
    }
    String mediaType = at + "/content/" + pointer(answer.header("Content-Type"));
    assertThat(document.at(mediaType).isMissingNode()).as(what).isFalse();
    assertValid(mediaType + "/schema", answer.json(), what);
  }

  private static String pointer(String text) {
    return text.replace("~", "~0").replace("/", "~1");
  }

  // A schema that only refers keeps what it refers to within reach.
  private static void assertValid(String pointer, JsonNode value, String what) {
    Validator validator =
        new ValidatorFactory().withJsonNodeFactory(new SchemaNode.Factory()).createValidator();
    var schema = RunningEdge.JSON.createObjectNode();
    schema.set("components", document.get("components"));
    schema.set("allOf", RunningEdge.JSON.createArrayNode().add(document.at(pointer)));
    URI uri = validator.registerSchema(BASE, schema.toString());
    var result = validator.validate(uri, value.toString());
    assertThat(result.isValid())
        .as(
            what
                + result.getErrors().stream()
                    .map(e -> "\n" + e.getInstanceLocation() + " " + e.getError())
                    .toList())
        .isTrue();
  }

  @Test
  void the_schemas_refuse_what_the_server_refuses() {
    var node = RunningEdge.JSON.readTree("{\"memoryMb\":\"64\"}");
    assertThatThrownBy(
            () -> assertValid("/components/schemas/CreateSandbox", node, "text for a number"))
        .isInstanceOf(AssertionError.class);
  }
}
