package dev.cove.server.architecture;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.nio.file.Files;
import java.nio.file.Path;

/** What the architecture tests look at: all production classes, and the repository around them. */
final class CoveClasses {
  private CoveClasses() {}

  static JavaClasses all() {
    return new ClassFileImporter()
        .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
        .importPackages("dev.cove");
  }

  /** Tests run in their module's folder; the root is the one above that has all modules. */
  static Path repositoryRoot() {
    Path folder = Path.of("").toAbsolutePath();
    while (!Files.isDirectory(folder.resolve("end-to-end"))) {
      folder = folder.getParent();
      if (folder == null) {
        throw new IllegalStateException("These tests run inside the repository");
      }
    }
    return folder;
  }
}
