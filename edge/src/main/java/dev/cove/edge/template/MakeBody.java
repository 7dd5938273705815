package dev.cove.edge.template;

import dev.cove.control.build.BuildPlan;
import dev.cove.control.build.BuildRequest;
import dev.cove.control.build.Builds;
import dev.cove.control.build.Dockerfile;
import dev.cove.control.build.Furnishing;
import dev.cove.control.build.Recipes;
import dev.cove.control.build.Stage;
import dev.cove.control.template.TemplateVersion.Service;
import dev.cove.edge.http.Fields;
import dev.cove.edge.network.NetworkBody;
import dev.cove.edge.sandbox.LifeBody;
import dev.cove.edge.sandbox.LimitsBody;
import dev.cove.model.ResourceWish;
import dev.cove.node.debian.DebianBootstrap;
import dev.cove.node.image.Credentials;
import dev.cove.node.image.ImageReference;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What a caller may say about a new template. */
record MakeBody(
    @Nullable String name,
    @Nullable List<@Nullable String> tags,
    @Nullable String image,
    @Nullable RegistryBody registry,
    @Nullable DebianBody debian,
    @Nullable RecipeBody recipe,
    @Nullable String checkpoint,
    @Nullable String dockerfile,
    @Nullable String from,
    @Nullable List<@Nullable StepBody> steps,
    @Nullable Map<String, @Nullable String> arguments,
    @Nullable Map<String, @Nullable String> env,
    @Nullable String user,
    @Nullable String cwd,
    @Nullable List<@Nullable String> start,
    @Nullable List<@Nullable String> ready,
    @Nullable NetworkBody network,
    @Nullable Map<String, @Nullable Object> life,
    @Nullable LimitsBody limits,
    @Nullable Boolean noCache) {
  record RegistryBody(@Nullable String username, @Nullable String password) {
    Credentials credentials() {
      return new Credentials(
          Fields.require("registry.username", username),
          Fields.require("registry.password", password));
    }

    @Override
    public String toString() {
      return "credentials";
    }
  }

  record DebianBody(@Nullable String suite, @Nullable List<@Nullable String> packages) {
    DebianBootstrap.Wish wish() {
      List<String> names = packages == null ? List.of() : Fields.textList("packages", packages);
      return suite == null
          ? DebianBootstrap.Wish.ofThisMachine(names)
          : new DebianBootstrap.Wish(suite, names);
    }
  }

  record RecipeBody(@Nullable String name, @Nullable List<@Nullable String> packages) {
    BuildRequest request() {
      List<String> more = packages == null ? List.of() : Fields.textList("packages", packages);
      return Recipes.of(Fields.require("recipe.name", name), more);
    }
  }

  BuildRequest toRequest() {
    long sources =
        Stream.of(image, debian, recipe, checkpoint, dockerfile, from)
            .filter(source -> source != null)
            .count();
    if (sources != 1) {
      throw new IllegalArgumentException(
          "Give exactly one of image, debian, recipe, checkpoint, dockerfile and from");
    }
    if (steps != null && from == null) {
      throw new IllegalArgumentException("steps go with from");
    }
    if (arguments != null && dockerfile == null) {
      throw new IllegalArgumentException("arguments go with dockerfile");
    }
    if (noCache != null && dockerfile == null && from == null) {
      throw new IllegalArgumentException("noCache goes with dockerfile or from");
    }
    if (registry != null && (debian != null || checkpoint != null)) {
      throw new IllegalArgumentException("registry goes with image, dockerfile or from");
    }
    if (debian != null && name == null) {
      BuildRequest usual = Builds.debian(allTags(), debian.wish());
      return request(usual.name(), usual.tags());
    }
    if (image != null && name == null) {
      ImageReference reference = ImageReference.parse(image);
      return request(
          reference.name(), allTags().isEmpty() ? List.of(Builds.tagOf(reference)) : allTags());
    }
    if (recipe != null && name == null) {
      return request(recipe.request().name(), allTags());
    }
    return request(Fields.require("name", name), allTags());
  }

  private BuildRequest request(String called, List<String> tagged) {
    return new BuildRequest(
        called,
        tagged,
        plan(),
        Fields.textMap("env", env),
        Optional.ofNullable(user),
        Optional.ofNullable(cwd),
        service(),
        Optional.ofNullable(network).map(NetworkBody::toSettings),
        LifeBody.rules(life),
        limits == null ? ResourceWish.NOTHING : limits.toWish());
  }

  private Service service() {
    if (recipe != null && start == null) {
      return recipe.request().service();
    }
    return new Service(
        start == null ? List.of() : Fields.textList("start", start),
        ready == null ? List.of() : Fields.textList("ready", ready));
  }

  private List<String> allTags() {
    return tags == null ? List.of() : Fields.textList("tags", tags);
  }

  private BuildPlan plan() {
    Optional<Credentials> credentials =
        Optional.ofNullable(registry).map(RegistryBody::credentials);
    if (image != null) {
      return new BuildPlan.FromRegistry(ImageReference.parse(image), credentials);
    }
    if (debian != null) {
      return new BuildPlan.Debian(debian.wish(), Furnishing.NONE);
    }
    if (recipe != null) {
      return recipe.request().plan();
    }
    if (checkpoint != null) {
      return new BuildPlan.FromCheckpoint(checkpoint);
    }
    Map<String, String> given = Fields.textMap("arguments", arguments);
    return new BuildPlan.Stages(
        description(given),
        given,
        Optional.empty(),
        credentials,
        afresh(Boolean.TRUE.equals(noCache)));
  }

  /** From its first line on, or not at all. */
  static OptionalInt afresh(boolean noCache) {
    return noCache ? OptionalInt.of(1) : OptionalInt.empty();
  }

  private Dockerfile description(Map<String, String> given) {
    if (dockerfile != null) {
      return Dockerfile.parse(dockerfile, given);
    }
    List<@Nullable StepBody> list = steps == null ? List.of() : steps;
    if (list.size() > Dockerfile.MAX_STEPS) {
      throw new IllegalArgumentException(
          "steps has more than %d entries".formatted(Dockerfile.MAX_STEPS));
    }
    var all =
        IntStream.range(0, list.size())
            .mapToObj(i -> Fields.require("An item of steps", list.get(i)).toStep(i + 1))
            .toList();
    return new Dockerfile(
        List.of(new Stage(Optional.empty(), Fields.require("from", from), all)), Map.of());
  }
}
