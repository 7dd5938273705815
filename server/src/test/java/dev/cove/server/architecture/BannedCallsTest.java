package dev.cove.server.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.conditions.ArchConditions.callCodeUnitWhere;
import static com.tngtech.archunit.lang.conditions.ArchConditions.dependOnClassesThat;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.AccessTarget;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import java.io.File;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Calls that open an attack. Each rule names the attack; an exception to it is written here. */
class BannedCallsTest {
  private static final String[] SERVER_SIDE = {
    "dev.cove.model..",
    "dev.cove.guest..",
    "dev.cove.engine..",
    "dev.cove.egress..",
    "dev.cove.node..",
    "dev.cove.control..",
    "dev.cove.edge..",
    "dev.cove.server.."
  };
  private static final Set<String> HOST_FILES =
      Set.of(
          "java.nio.file.Files",
          "java.nio.file.Path",
          "java.nio.file.Paths",
          "java.nio.channels.FileChannel",
          "java.io.File",
          "java.io.FileInputStream",
          "java.io.FileOutputStream",
          "java.io.FileReader",
          "java.io.FileWriter",
          "java.io.RandomAccessFile");

  private static final JavaClasses COVE = CoveClasses.all();

  @Test
  void host_processes_are_started_by_engines_and_the_debian_bootstrap_only() {
    noClasses()
        .that()
        .resideInAnyPackage(SERVER_SIDE)
        .and()
        .resideOutsideOfPackages(
            "dev.cove.engine.container..",
            "dev.cove.engine.microvm..",
            "dev.cove.engine.oci..",
            "dev.cove.node.debian..")
        .should(
            callCodeUnitWhere(
                call("start a process", Set.of("java.lang.ProcessBuilder", "java.lang.Runtime"))
                    .and(
                        named(
                            "by constructor or exec",
                            Set.of("<init>", "exec", "start", "startPipeline")))))
        .because(
            "a caller's text that reaches a command line of the host is a command on the host"
                + " (argument injection); commands of callers run inside a sandbox, by the agent")
        .check(COVE);
  }

  @Test
  void the_edge_never_touches_a_file_of_the_host() {
    noClasses()
        .that()
        .resideInAPackage("dev.cove.edge..")
        .should(dependOnClassesThat(oneOf("files of the host", HOST_FILES)))
        .because(
            "a path that a caller or a sandbox names, resolved with the server's rights, reads and"
                + " writes the host (path traversal, planted symlinks, archive entries with '..');"
                + " file work is done by the agent inside the sandbox")
        .check(COVE);
  }

  @Test
  void no_file_is_made_in_a_folder_that_others_can_write() {
    noClasses()
        .that()
        .resideInAnyPackage(SERVER_SIDE)
        .should(
            callCodeUnitWhere(
                call("make", Set.of("java.nio.file.Files", "java.io.File"))
                    .and(named("a temporary file", Set.of("createTempFile", "createTempDirectory")))
                    .and(describe("in a folder not named", BannedCallsTest::hasNoFolder))))
        .because(
            "in /tmp another user can plant a link or read what is left there; what the server"
                + " writes lies in its own home")
        .check(COVE);
  }

  @Test
  void nothing_is_read_back_as_java_objects() {
    noClasses()
        .should(
            dependOnClassesThat(
                oneOf(
                    "Java serialisation",
                    Set.of("java.io.ObjectInputStream", "java.beans.XMLDecoder"))))
        .because("bytes that choose the classes they become run code (deserialisation attacks)")
        .check(COVE);
  }

  @Test
  void json_never_names_a_class() {
    noClasses()
        .should(
            callCodeUnitWhere(
                named(
                    "activateDefaultTyping",
                    Set.of("activateDefaultTyping", "activateDefaultTypingAsProperty"))))
        .because("a request that names Java classes runs code (polymorphic JSON attacks)")
        .check(COVE);
  }

  @Test
  void what_must_not_be_guessed_is_not_drawn_from_a_guessable_source() {
    noClasses()
        .that()
        .resideInAnyPackage(SERVER_SIDE)
        .should(
            dependOnClassesThat(
                oneOf(
                    "guessable randomness",
                    Set.of(
                        "java.util.Random",
                        "java.util.SplittableRandom",
                        "java.util.concurrent.ThreadLocalRandom"))))
        .because("ids and keys drawn from it can be predicted from earlier ones; use SecureRandom")
        .check(COVE);
  }

  @Test
  void the_environment_is_read_where_the_process_begins() {
    noClasses()
        .that()
        .resideInAnyPackage(SERVER_SIDE)
        .and()
        .resideOutsideOfPackage("dev.cove.server..")
        .and()
        .doNotHaveSimpleName("BaseImages") // looks for mkfs along PATH, as a shell would
        .should(
            callCodeUnitWhere(
                call("ask", Set.of("java.lang.System")).and(named("getenv", Set.of("getenv")))))
        .because(
            "a variable that is read deep inside steers the server without being in its settings,"
                + " and nobody who sets it learns that it was misspelt")
        .check(COVE);
  }

  private static boolean hasNoFolder(JavaAccess<?> access) {
    return access.getTarget() instanceof AccessTarget.CodeUnitCallTarget target
        && target.getRawParameterTypes().stream()
            .noneMatch(type -> type.isEquivalentTo(Path.class) || type.isEquivalentTo(File.class));
  }

  private static DescribedPredicate<JavaAccess<?>> call(String what, Set<String> owners) {
    return describe(what, access -> owners.contains(access.getTargetOwner().getName()));
  }

  private static DescribedPredicate<JavaAccess<?>> named(String what, Set<String> names) {
    return describe(what, access -> names.contains(access.getName()));
  }

  private static DescribedPredicate<JavaClass> oneOf(String what, Set<String> names) {
    return describe(what, type -> names.contains(type.getBaseComponentType().getName()));
  }
}
