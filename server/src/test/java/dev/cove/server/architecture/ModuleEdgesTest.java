package dev.cove.server.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.JavaPackage;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Which module may see which. A module follows a trust boundary, so an edge too many is a hole. */
class ModuleEdgesTest {
  private static final String ROOT = "dev.cove.";
  private static final String REPORT = ROOT + "engine.EngineReport";

  /** Module, by its package, to the modules that it may see. */
  private static final Map<String, Set<String>> MAY_SEE =
      Map.ofEntries(
          Map.entry("model", Set.of()),
          Map.entry("review", Set.of("model")),
          Map.entry("guest", Set.of("model")),
          Map.entry("engine", Set.of("model")),
          Map.entry("engine.container", Set.of("model", "engine", "guest")),
          Map.entry("engine.oci", Set.of("model", "engine", "engine.container")),
          Map.entry("engine.microvm", Set.of("model", "guest", "engine", "engine.container")),
          Map.entry("egress", Set.of("model")),
          Map.entry("node", Set.of("model", "engine", "guest", "egress", "review")),
          Map.entry("control", Set.of("model", "guest", "node", "review")),
          Map.entry("edge", Set.of("model", "guest", "node", "control", "review")),
          Map.entry(
              "server",
              Set.of(
                  "model",
                  "guest",
                  "engine",
                  "engine.container",
                  "engine.oci",
                  "engine.microvm",
                  "egress",
                  "node",
                  "control",
                  "edge")),
          Map.entry("sdk", Set.of()),
          // Texts are compared and composed where they are shown; the server alone applies.
          Map.entry("cli", Set.of("sdk", "review", "model")),
          Map.entry("bench", Set.of("sdk")));

  private static final JavaClasses COVE = CoveClasses.all();

  @Test
  void every_module_sees_only_what_it_may() {
    classes().that().resideInAPackage("dev.cove..").should(seeOnlyAllowedModules()).check(COVE);
  }

  @Test
  void every_class_belongs_to_a_module_with_rules() {
    assertThat(COVE).isNotEmpty().allSatisfy(type -> assertThat(moduleOf(type)).isPresent());
    assertThat(COVE.stream().map(type -> moduleOf(type).orElseThrow()).distinct())
        .as("modules whose classes were looked at")
        .contains("model", "guest", "engine", "engine.container", "node", "control", "server")
        .contains("review", "sdk", "cli", "bench");
  }

  @Test
  void nothing_that_the_server_runs_with_is_a_dependency_of_its_tests_alone() throws IOException {
    String pom = Files.readString(Path.of("pom.xml"));
    Stream<String> ofTests =
        Pattern.compile("<artifactId>cove-([a-z-]+)</artifactId><scope>test<")
            .matcher(pom)
            .results()
            .map(found -> found.group(1).replace('-', '.'));
    assertThat(ofTests)
        .isNotEmpty()
        .as("Maven would leave them out of what is started")
        .doesNotContainAnyElementsOf(seenFrom("server"));
  }

  private static Set<String> seenFrom(String module) {
    var seen = new TreeSet<>(MAY_SEE.getOrDefault(module, Set.of()));
    Set.copyOf(seen).forEach(next -> seen.addAll(seenFrom(next)));
    return seen;
  }

  @Test
  void the_vocabulary_depends_on_nothing_but_the_jdk() {
    assertThat(
            ofModule("model")
                .flatMap(type -> type.getDirectDependenciesFromSelf().stream())
                .filter(dependency -> !isJdkOr("model", dependency.getTargetClass()))
                .map(Dependency::getDescription))
        .isEmpty();
  }

  @Test
  void whoever_uses_the_sdk_meets_no_types_but_its_own_and_the_jdks() {
    assertThat(
            ofModule("sdk")
                .filter(type -> type.getModifiers().contains(JavaModifier.PUBLIC))
                .flatMap(type -> type.getCodeUnits().stream())
                .filter(unit -> unit.getModifiers().contains(JavaModifier.PUBLIC))
                .filter(unit -> !signature(unit).allMatch(type -> isJdkOr("sdk", type)))
                .map(JavaCodeUnit::getFullName))
        .isEmpty();
  }

  private static Stream<JavaClass> ofModule(String module) {
    return COVE.stream().filter(type -> moduleOf(type).equals(Optional.of(module)));
  }

  private static Stream<JavaClass> signature(JavaCodeUnit unit) {
    var types = new ArrayList<JavaClass>(unit.getRawParameterTypes());
    types.add(unit.getRawReturnType());
    types.addAll(unit.getExceptionTypes());
    return types.stream();
  }

  private static boolean isJdkOr(String module, JavaClass target) {
    String name = target.getBaseComponentType().getPackageName();
    return name.isEmpty() // int and the like
        || name.startsWith("java.")
        || name.startsWith("javax.net.")
        || name.equals("org.jspecify.annotations")
        || moduleOf(target).equals(Optional.of(module));
  }

  @Test
  void every_package_says_that_null_is_the_exception() {
    assertThat(COVE.stream().map(JavaClass::getPackage).distinct())
        .filteredOn(made -> !made.isAnnotatedWith(NullMarked.class))
        .extracting(JavaPackage::getName)
        .as("packages without @NullMarked")
        .isEmpty();
  }

  private static ArchCondition<JavaClass> seeOnlyAllowedModules() {
    return new ArchCondition<>("see only the modules that theirs may see") {
      @Override
      public void check(JavaClass type, ConditionEvents events) {
        String module = moduleOf(type).orElse("");
        for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
          if (!isAllowed(module, dependency.getTargetClass())) {
            events.add(SimpleConditionEvent.violated(type, dependency.getDescription()));
          }
        }
      }
    };
  }

  private static boolean isAllowed(String module, JavaClass target) {
    Optional<String> other = moduleOf(target);
    if (other.isEmpty() || other.get().equals(module)) {
      return true;
    }
    // A node hands its engine's report on to those who show it; they see no more of any engine.
    boolean isReport = target.getName().equals(REPORT) || target.getName().startsWith(REPORT + "$");
    return MAY_SEE.getOrDefault(module, Set.of()).contains(other.get())
        || (isReport && MAY_SEE.getOrDefault(module, Set.of()).contains("node"));
  }

  private static Optional<String> moduleOf(JavaClass type) {
    String name = type.getBaseComponentType().getPackageName() + ".";
    return MAY_SEE.keySet().stream()
        .filter(module -> name.startsWith(ROOT + module + "."))
        .max(Comparator.comparingInt(String::length));
  }
}
