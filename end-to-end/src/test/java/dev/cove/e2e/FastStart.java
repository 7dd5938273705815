package dev.cove.e2e;

import java.io.File;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * What makes a JVM start fast that lives for one test: it runs from jars alone, so that the first
 * one can leave an archive of its classes to the others, and compiles no more than it must.
 */
final class FastStart {
  private FastStart() {}

  /**
   * Options and class path of a program.
   *
   * @param program whose classes the archive holds
   */
  static List<String> of(String program) {
    String process = System.getProperty("surefire.forkNumber", "0");
    Path archive = Path.of("target", program + "-" + process + ".jsa").toAbsolutePath();
    return List.of(
        "-XX:+UseSerialGC",
        "-XX:TieredStopAtLevel=1",
        "-XX:+AutoCreateSharedArchive",
        "-XX:SharedArchiveFile=" + archive,
        "-Xlog:disable", // an archive that does not fit is made anew, and nobody need hear of it
        "-cp",
        jars());
  }

  private static String jars() {
    return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
        .filter(part -> part.endsWith(".jar"))
        .collect(Collectors.joining(File.pathSeparator));
  }
}
