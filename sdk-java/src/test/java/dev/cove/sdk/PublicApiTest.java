package dev.cove.sdk;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Holds the SDK to what api.txt says that it offers, so that a change to it shows in the diff. To
 * accept a change, copy target/api.txt over api.txt.
 */
class PublicApiTest {
  private static final Pattern FOREIGN =
      Pattern.compile(
          "(?<![\\w.])(?!java\\.|dev\\.cove\\.sdk\\.[A-Z])[a-z]+(\\.[a-z]\\w*)+\\.[A-Z]\\w*");

  private static final Set<String> OF_EVERY_OBJECT = Set.of("equals", "hashCode", "toString");

  @Test
  void the_public_api_is_the_one_on_file() throws Exception {
    String actual = String.join("\n", describe()) + "\n";
    Path fresh = Path.of("target/api.txt");
    Files.writeString(fresh, actual);
    assertThat(actual).as("%s differs", fresh).isEqualTo(Files.readString(Path.of("api.txt")));
  }

  @Test
  void signatures_name_types_of_the_jdk_and_of_the_sdk_only() throws Exception {
    assertThat(describe()).isNotEmpty().noneMatch(line -> FOREIGN.matcher(line).find());
  }

  private static List<String> describe() throws IOException, URISyntaxException {
    List<String> lines = new ArrayList<>();
    for (Class<?> type : publicTypes()) {
      lines.add(header(type));
      var members = new TreeSet<String>();
      for (Constructor<?> constructor : type.getConstructors()) {
        members.add("  new" + parameters(constructor));
      }
      for (Method method : type.getDeclaredMethods()) {
        if (Modifier.isPublic(method.getModifiers())
            && !method.isSynthetic()
            && !OF_EVERY_OBJECT.contains(method.getName())) {
          members.add(
              "  %s%s %s%s"
                  .formatted(
                      Modifier.isStatic(method.getModifiers()) ? "static " : "",
                      method.getGenericReturnType().getTypeName(),
                      method.getName(),
                      parameters(method)));
        }
      }
      lines.addAll(members);
    }
    return lines;
  }

  private static String header(Class<?> type) {
    String kind =
        type.isRecord()
            ? "record"
            : type.isEnum() ? "enum" : type.isInterface() ? "interface" : "class";
    String parents =
        Stream.concat(
                Stream.ofNullable(type.getGenericSuperclass()),
                Arrays.stream(type.getGenericInterfaces()))
            .map(Type::getTypeName)
            .filter(name -> !name.equals("java.lang.Object") && !name.equals("java.lang.Record"))
            .collect(Collectors.joining(", "));
    return kind + " " + type.getTypeName() + (parents.isEmpty() ? "" : " : " + parents);
  }

  private static String parameters(Executable executable) {
    String parameters =
        Arrays.stream(executable.getGenericParameterTypes())
            .map(Type::getTypeName)
            .collect(Collectors.joining(", ", "(", ")"));
    String thrown =
        Arrays.stream(executable.getGenericExceptionTypes())
            .map(Type::getTypeName)
            .collect(Collectors.joining(", "));
    return parameters + (thrown.isEmpty() ? "" : " throws " + thrown);
  }

  private static List<Class<?>> publicTypes() throws IOException, URISyntaxException {
    Path classes = Path.of(Cove.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    List<String> names = new ArrayList<>();
    try (Stream<Path> files = Files.list(classes.resolve("dev/cove/sdk"))) {
      files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.endsWith(".class") && !name.equals("package-info.class"))
          .forEach(name -> names.add("dev.cove.sdk." + name.replace(".class", "")));
    }
    Collections.sort(names);
    List<Class<?>> types = new ArrayList<>();
    for (String name : names) {
      Class<?> type = load(name);
      if (visible(type)) {
        types.add(type);
      }
    }
    return types;
  }

  private static Class<?> load(String name) {
    try {
      return Class.forName(name, false, PublicApiTest.class.getClassLoader());
    } catch (ClassNotFoundException e) {
      throw new AssertionError(e);
    }
  }

  private static boolean visible(Class<?> type) {
    Class<?> outer = type.getEnclosingClass();
    return Modifier.isPublic(type.getModifiers()) && (outer == null || visible(outer));
  }
}
