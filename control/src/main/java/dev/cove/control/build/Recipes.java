package dev.cove.control.build;

import dev.cove.control.build.Furnishing.PlacedFile;
import dev.cove.control.interpreter.Interpreter;
import dev.cove.control.template.TemplateReference;
import dev.cove.control.template.TemplateVersion.Service;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import dev.cove.model.ResourceWish;
import dev.cove.model.life.LifeRules;
import dev.cove.node.debian.DebianBootstrap;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Templates that we know how to make: from the machine's own package sources, and our files. */
public final class Recipes {
  /** A Debian with what programs that work for people usually need. */
  public static final String BASE = "base";

  /** The same with the code interpreter, which is started in each of its sandboxes. */
  public static final String CODE = "code-interpreter-v1";

  private static final List<String> USUAL =
      List.of("curl", "git", "nodejs", "npm", "python3", "python3-pip", "python3-venv");
  private static final List<String> FOR_CODE =
      List.of(
          "python3-ipython", "python3-numpy", "python3-pandas", "python3-matplotlib", "esbuild");

  /** Nobody reads them in a sandbox, and they are a third of all files. */
  private static final List<String> LEFT_OUT =
      List.of(
          "/usr/share/doc/*",
          "/usr/share/man/man[1-9]/*",
          "/usr/share/man/*/man[1-9]/*",
          "/usr/share/info/*",
          "/usr/share/locale/*",
          "/usr/include/boost/*");

  private Recipes() {}

  public static boolean knows(String name) {
    return name.equals(BASE) || name.equals(CODE);
  }

  /**
   * @param more packages beside its own
   * @throws CoveException INVALID_REQUEST when there is no such recipe
   */
  public static BuildRequest of(String name, List<String> more) {
    if (!knows(name)) {
      throw new CoveException(
          ErrorCode.INVALID_REQUEST,
          "There is no recipe %.64s; there are %s and %s.".formatted(name, BASE, CODE));
    }
    boolean code = name.equals(CODE);
    var packages = new ArrayList<>(USUAL);
    packages.addAll(code ? FOR_CODE : List.of());
    packages.addAll(more);
    var wish = DebianBootstrap.Wish.ofThisMachine(packages).without(LEFT_OUT);
    return new BuildRequest(
        name,
        List.of(TemplateReference.LATEST),
        new BuildPlan.Debian(wish, code ? furnishedForCode() : furnished()),
        Map.of(),
        Optional.empty(),
        Optional.empty(),
        code ? new Service(Interpreter.COMMAND, List.of()) : Service.NONE,
        Optional.empty(),
        LifeRules.SILENT,
        ResourceWish.NOTHING);
  }

  private static Furnishing furnished() {
    return new Furnishing(usualFiles(), List.of());
  }

  private static Furnishing furnishedForCode() {
    var files = new ArrayList<>(usualFiles());
    Interpreter.sources()
        .forEach(
            (path, text) -> files.add(new PlacedFile(Interpreter.FOLDER + "/" + path, 0644, text)));
    return new Furnishing(
        files, List.of(List.of("/usr/bin/python3", "-m", "compileall", "-q", Interpreter.FOLDER)));
  }

  private static List<PlacedFile> usualFiles() {
    return List.of(
        new PlacedFile("/usr/local/bin/sudo", 0755, text("sudo.sh")),
        new PlacedFile("/etc/cove/sudo", 0644, "Everybody here may run everything as everybody.\n"),
        // It is nobody else's system, so whoever wants a package may have it.
        new PlacedFile("/etc/pip.conf", 0644, "[global]\nbreak-system-packages = true\n"));
  }

  private static String text(String name) {
    try (InputStream in = Recipes.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalStateException("There is no file " + name);
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
