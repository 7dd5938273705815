package dev.cove.cli;

import dev.cove.sdk.CoveApiException;
import dev.cove.sdk.TemplateBuild;
import dev.cove.sdk.Templates;
import java.util.Optional;
import java.util.Set;

/** Makes templates that are not there yet and need no description, and shows how it goes. */
final class FirstUse {
  private static final String DEBIAN = "debian";
  private static final Set<String> RECIPES = Set.of("base", "code-interpreter-v1");

  private final Templates templates;
  private final Session session;

  FirstUse(Templates templates, Session session) {
    this.templates = templates;
    this.session = session;
  }

  /** Empty when there is none and it can't be made of itself; whoever asks for it will hear why. */
  Optional<dev.cove.sdk.Template> ofTemplate(String reference) {
    Optional<dev.cove.sdk.Template> found = unlessMalformed(() -> templates.find(reference));
    if (found.isPresent()) {
      return found;
    }
    if (RECIPES.contains(reference)) {
      return Optional.of(make(TemplateBuild.fromRecipe(reference)));
    }
    return reference.equals(DEBIAN)
        ? Optional.of(make(TemplateBuild.fromDebian()))
        : Optional.empty();
  }

  /**
   * With that agent in it, from npm.
   *
   * @param update makes it anew with what npm has now
   */
  dev.cove.sdk.Template ofAgent(Agent agent, boolean update) {
    Optional<dev.cove.sdk.Template> found = templates.find(agent.template());
    if (found.isPresent() && !update) {
      return found.get();
    }
    session.note("cove: Installing %s, this once.".formatted(agent.npm()));
    ofTemplate("base");
    TemplateBuild build =
        TemplateBuild.from("base")
            .name(agent.template())
            .asUser("root")
            // Debian's Node may be older than what the agents want.
            .run("npm install --global --no-fund --no-audit node@24 " + agent.npm() + "@latest")
            .asUser("user")
            .run(agent.program() + " --version");
    return make(agent.setUp().isEmpty() ? build : build.run(agent.setUp()));
  }

  Optional<dev.cove.sdk.Template> ofImage(String image) {
    Optional<dev.cove.sdk.Template> found = unlessMalformed(() -> templates.findImage(image));
    return found.isPresent() ? found : Optional.of(make(TemplateBuild.fromImage(image)));
  }

  private dev.cove.sdk.Template make(TemplateBuild build) {
    try (var progress = new BuildProgress(session)) {
      return templates.build(build, progress);
    }
  }

  private interface Search {
    Optional<dev.cove.sdk.Template> find();
  }

  // What is asked for next is refused with a sentence about that, not about what it becomes.
  private static Optional<dev.cove.sdk.Template> unlessMalformed(Search search) {
    try {
      return search.find();
    } catch (CoveApiException e) {
      if (e.status() == 400) {
        return Optional.empty();
      }
      throw e;
    }
  }
}
