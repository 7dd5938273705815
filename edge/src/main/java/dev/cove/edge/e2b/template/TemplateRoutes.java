package dev.cove.edge.e2b.template;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.cove.control.build.BuildContext;
import dev.cove.control.build.BuildRequest;
import dev.cove.control.build.Builds;
import dev.cove.control.build.Cancellation;
import dev.cove.control.build.Upload;
import dev.cove.control.key.DerivedSecrets;
import dev.cove.control.project.Scope;
import dev.cove.control.template.Catalogue;
import dev.cove.control.template.TemplateReference;
import dev.cove.control.template.TemplateVersion;
import dev.cove.edge.e2b.E2bDialect;
import dev.cove.edge.e2b.sandbox.Snapshots;
import dev.cove.edge.e2b.sandbox.TemplateNames;
import dev.cove.edge.http.Exchange;
import dev.cove.edge.http.Fields;
import dev.cove.edge.http.HttpRefusal;
import dev.cove.edge.http.Problem;
import dev.cove.edge.http.Route;
import dev.cove.model.ErrorCode;
import dev.cove.model.ResourceWish;
import dev.cove.model.Resources;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Templates: built, tagged, found, removed. A template's id is its name. */
public final class TemplateRoutes {
  private static final String ALL = E2bDialect.ROOT + "/templates";
  private static final String ONE = ALL + "/{template}";
  private static final String DEFAULT = "default";
  private static final Pattern HASH = Pattern.compile("[0-9a-f]{64}");
  private static final int MOST_LOGS = 100;
  private static final int MOST_CPUS = 1_024;

  private final Catalogue templates;
  private final Builds builds;
  private final TemplateNames names;
  private final Snapshots snapshots;
  private final DerivedSecrets secrets;
  private final BuildJobs jobs = new BuildJobs();
  private final ContextFiles files;

  public TemplateRoutes(
      Catalogue templates,
      Builds builds,
      TemplateNames names,
      Snapshots snapshots,
      DerivedSecrets secrets) {
    this.templates = templates;
    this.builds = builds;
    this.names = names;
    this.snapshots = snapshots;
    this.secrets = secrets;
    this.files = new ContextFiles(builds.spool());
  }

  public List<Route> routes() {
    return List.of(
        Route.of("POST", E2bDialect.ROOT + "/v3/templates", this::request),
        Route.of("GET", ALL, this::list).query("teamID"),
        Route.of("GET", E2bDialect.ROOT + "/v2/templates", this::list).query("limit", "nextToken"),
        Route.of("GET", ALL + "/aliases/{template}", this::alias),
        Route.of("POST", ALL + "/tags", this::tag),
        Route.of("DELETE", ALL + "/tags", this::untag),
        Route.of("DELETE", ONE, this::delete),
        Route.of("PATCH", E2bDialect.ROOT + "/v2/templates/{template}", this::publish),
        Route.of("GET", ONE + "/tags", this::tags),
        Route.of("GET", ONE + "/files/{hash}", this::place),
        Route.of("PUT", ONE + "/files/{hash}/content", this::upload)
            .query("project", "token")
            .openToAll(),
        Route.of("POST", E2bDialect.ROOT + "/v2/templates/{template}/builds/{build}", this::build),
        Route.of("GET", ONE + "/builds/{build}/status", this::status)
            .query("logsOffset", "limit", "level"));
  }

  record NewBody(
      @Nullable String name,
      @Nullable String alias,
      @Nullable List<@Nullable String> tags,
      @Nullable Integer cpuCount,
      @Nullable Integer memoryMB,
      @Nullable Integer minFreeDiskMb) {
    /** E2B measures what is free on a disk after the build; ours is as large as what may come. */
    ResourceWish limits() {
      return new ResourceWish(
          Optional.ofNullable(cpuCount)
              .map(count -> (int) Fields.between("cpuCount", count, 1, MOST_CPUS) * 1_000),
          Optional.ofNullable(memoryMB),
          Optional.ofNullable(minFreeDiskMb)
              .map(free -> Math.max(free, Resources.DEFAULT.diskMb())),
          Optional.empty());
    }
  }

  record Requested(
      String templateID,
      String buildID,
      boolean isPublic,
      List<String> names,
      List<String> tags,
      List<String> aliases) {
    @JsonProperty("public")
    @Override
    public boolean isPublic() {
      return isPublic;
    }
  }

  private void request(Exchange exchange) throws IOException {
    NewBody body = exchange.looseJson(NewBody.class);
    String asked =
        Fields.require("name", body.name() == null ? body.alias() : body.name())
            .toLowerCase(Locale.ROOT);
    TemplateReference reference = TemplateReference.parse(asked);
    var tags = new ArrayList<String>();
    reference.tag().map(TemplateRoutes::ours).ifPresent(tags::add);
    if (body.tags() != null) {
      Fields.textList("tags", body.tags()).stream()
          .map(TemplateRoutes::ours)
          .map(TemplateReference::requireTag)
          .forEach(tags::add);
    }
    if (tags.isEmpty()) {
      tags.add(TemplateReference.LATEST);
    }
    if (reference.name().equals(Catalogue.HOST.name())) {
      throw new IllegalArgumentException("That name is taken by a template that is built in");
    }
    var job = new BuildJob(reference.name(), tags, body.limits(), Clock.systemUTC());
    jobs.add(job);
    List<String> called = List.of(reference.name());
    exchange.send(
        202,
        new Requested(
            job.template(),
            job.id(),
            false,
            called,
            tags.stream().map(TemplateRoutes::theirs).toList(),
            called));
  }

  private static String ours(String tag) {
    return tag.equals(DEFAULT) ? TemplateReference.LATEST : tag;
  }

  private static String theirs(String tag) {
    return tag.equals(TemplateReference.LATEST) ? DEFAULT : tag;
  }

  record Place(boolean present, Optional<String> url) {}

  private void place(Exchange exchange) {
    String hash = hash(exchange);
    String project = Scope.here().value();
    String url =
        "%s://%s%s/templates/%s/files/%s/content?project=%s&token=%s"
            .formatted(
                exchange.scheme(),
                exchange.authority(),
                E2bDialect.ROOT,
                exchange.path("template").replace("/", "%2F"),
                hash,
                project,
                token(project, exchange));
    exchange.send(201, new Place(files.has(project, hash), Optional.of(url)));
  }

  private static String hash(Exchange exchange) {
    String hash = exchange.path("hash");
    if (!HASH.matcher(hash).matches()) {
      throw new IllegalArgumentException("A hash is 64 hexadecimal digits");
    }
    return hash;
  }

  private String token(String project, Exchange exchange) {
    return secrets.of(
        String.join(":", "upload", project, exchange.path("template"), exchange.path("hash")));
  }

  /** Clients send no key along with files, so the address says that they may. */
  private void upload(Exchange exchange) throws IOException {
    String project = exchange.query().find("project").orElse("");
    byte[] wanted = token(project, exchange).getBytes(StandardCharsets.UTF_8);
    byte[] presented = exchange.query().find("token").orElse("").getBytes(StandardCharsets.UTF_8);
    if (!MessageDigest.isEqual(wanted, presented)) {
      throw new HttpRefusal(
          401, ErrorCode.UNAUTHENTICATED, "This address was not given out by this server");
    }
    files.keep(project, hash(exchange), exchange.body());
    exchange.sendNothing(200);
  }

  private void build(Exchange exchange) throws IOException {
    BuildJob job = jobs.require(exchange.path("template"), exchange.path("build"));
    BuildWish wish = exchange.looseJson(BuildWish.class);
    List<String> archives = wish.archives();
    Optional<Upload> upload =
        archives.isEmpty()
            ? Optional.empty()
            : Optional.of(files.together(Scope.here().value(), archives));
    boolean handedOn = false;
    try {
      Optional<BuildContext> context =
          upload.isEmpty() ? Optional.empty() : Optional.of(upload.get().asContext());
      BuildRequest request = wish.request(job, names, context);
      if (!job.begin()) {
        throw new IllegalArgumentException("The build has begun already");
      }
      String base = wish.base(names);
      Thread.ofVirtual().name("e2b-build").start(() -> run(job, base, request, upload));
      handedOn = true;
    } finally {
      if (!handedOn) {
        upload.ifPresent(Upload::close);
      }
    }
    exchange.sendNothing(202);
  }

  private void run(BuildJob job, String base, BuildRequest request, Optional<Upload> upload) {
    var cancellation = new Cancellation();
    try {
      job.scope()
          .call(() -> {
            if (templates.find(base).isEmpty() && Builds.isMadeOnFirstUse(base)) {
              job.output("Making %s from packages first, which takes some minutes".formatted(base));
              builds.await(base, job, cancellation);
            }
            return builds.build(request, job, cancellation);
          });
      job.succeed();
    } catch (RuntimeException e) {
      job.fail(Problem.of(e, "E2B build"));
    } finally {
      upload.ifPresent(Upload::close);
    }
  }

  private void status(Exchange exchange) {
    BuildJob job = jobs.require(exchange.path("template"), exchange.path("build"));
    int offset = (int) exchange.query().number("logsOffset", 0, 0, Integer.MAX_VALUE);
    int limit = (int) exchange.query().number("limit", MOST_LOGS, 1, MOST_LOGS);
    exchange.send(200, job.status(offset, limit));
  }

  record Alias(String templateID, boolean isPublic) {
    @JsonProperty("public")
    @Override
    public boolean isPublic() {
      return isPublic;
    }
  }

  private void alias(Exchange exchange) {
    String name = names.ours(exchange.path("template"));
    exchange.send(200, new Alias(TemplateNames.shown(name), false));
  }

  record TagBody(
      @Nullable String target, @Nullable String name, @Nullable List<@Nullable String> tags) {
    List<String> wanted() {
      return Fields.textList("tags", tags).stream().map(TemplateRoutes::ours).toList();
    }
  }

  record Tagged(String buildID, List<String> tags) {}

  private void tag(Exchange exchange) throws IOException {
    TagBody body = exchange.looseJson(TagBody.class);
    String target = names.ours(Fields.require("target", body.target()));
    List<String> wanted = body.wanted();
    wanted.forEach(TemplateReference::requireTag);
    wanted.forEach(tag -> templates.tag(target, tag));
    exchange.send(
        201,
        new Tagged(
            buildOf(templates.require(target)),
            wanted.stream().map(TemplateRoutes::theirs).toList()));
  }

  private void untag(Exchange exchange) throws IOException {
    TagBody body = exchange.looseJson(TagBody.class);
    String name = Fields.require("name", body.name());
    for (String tag : body.wanted()) {
      templates.require(name + ":" + tag);
      templates.remove(name + ":" + tag);
    }
    exchange.sendNothing(204);
  }

  record Tag(String tag, String buildID, Instant createdAt) {}

  private void tags(Exchange exchange) {
    String name = TemplateReference.parse(names.ours(exchange.path("template"))).name();
    exchange.send(
        200,
        templates.list().stream()
            .filter(listed -> listed.version().name().equals(name))
            .flatMap(listed ->
                listed.tags().stream()
                    .map(tag ->
                        new Tag(
                            theirs(tag), buildOf(listed.version()), listed.version().createdAt())))
            .toList());
  }

  /** Versions have numbers with us; this is as good a name for one, and always the same. */
  private static String buildOf(TemplateVersion version) {
    return UUID.nameUUIDFromBytes(version.reference().getBytes(StandardCharsets.UTF_8)).toString();
  }

  /** A snapshot is a template to E2B. */
  private void delete(Exchange exchange) {
    String wanted = exchange.path("template");
    if (!snapshots.delete(wanted)) {
      templates.remove(names.ours(wanted));
    }
    exchange.sendNothing(204);
  }

  /** The newest version of each name. */
  private void list(Exchange exchange) {
    exchange.send(
        200,
        templates.list().stream()
            .filter(listed -> listed.tags().contains(TemplateReference.LATEST))
            .map(listed -> ListedTemplate.of(listed.version(), buildOf(listed.version())))
            .toList());
  }

  record PublishBody(@JsonProperty("public") @Nullable Boolean isPublic) {}

  record Published(List<String> names) {}

  /** Templates are for their project alone, and stay so. */
  private void publish(Exchange exchange) throws IOException {
    PublishBody body = exchange.looseJson(PublishBody.class);
    String name = TemplateReference.parse(names.ours(exchange.path("template"))).name();
    if (Boolean.TRUE.equals(body.isPublic())) {
      throw new HttpRefusal(
          403,
          ErrorCode.FORBIDDEN,
          "Templates of this server are for their project alone and can not be published; 'cove"
              + " export' gives one away");
    }
    exchange.send(200, new Published(List.of(TemplateNames.shown(name))));
  }
}
