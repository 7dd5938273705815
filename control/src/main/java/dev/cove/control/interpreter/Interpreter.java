package dev.cove.control.interpreter;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Where the interpreter is in a sandbox, how it is started, and what it consists of. */
public final class Interpreter {
  /** It listens there, on the loopback of its sandbox. */
  public static final int PORT = 49_999;

  public static final String FOLDER = "/opt/cove-interpreter";

  /** One that is there already makes a second one end at once. */
  public static final List<String> COMMAND = List.of("/usr/bin/python3", FOLDER);

  private static final List<String> SOURCES =
      List.of(
          "__main__.py",
          "cove_interpreter/__init__.py",
          "cove_interpreter/channel.py",
          "cove_interpreter/charts.py",
          "cove_interpreter/contexts.py",
          "cove_interpreter/display.py",
          "cove_interpreter/figures.py",
          "cove_interpreter/ipython_shell.py",
          "cove_interpreter/kernels.py",
          "cove_interpreter/python_kernel.py",
          "cove_interpreter/web.py",
          "cove_interpreter/zygote.py",
          "cove_interpreter/kernels/Java.java",
          "cove_interpreter/kernels/bash.sh",
          "cove_interpreter/kernels/javascript.js",
          "cove_interpreter/kernels/r.R");

  private Interpreter() {}

  /** Its files, by their paths below {@link #FOLDER}. */
  public static Map<String, String> sources() {
    var found = new LinkedHashMap<String, String>();
    for (String name : SOURCES) {
      found.put(name, text(name));
    }
    return found;
  }

  private static String text(String name) {
    try (InputStream in = Interpreter.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalStateException("The interpreter lacks its file " + name);
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
