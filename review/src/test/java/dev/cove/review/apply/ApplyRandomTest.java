package dev.cove.review.apply;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.review.apply.ApplySession.Outcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Both sides edit at random. What must come out is known without Cove: a path that one side left
 * alone is as the other has it, and every line that a side wrote is somewhere in the host's tree.
 */
class ApplyRandomTest {
  private static final int ROUNDS = 250;
  private static final List<String> PATHS =
      List.of("a", "b", "c", "d/e", "d/f", "d/g/h", "i/j", "k");

  @TempDir Path temporary;

  private static final class Editor {
    private final Path tree;
    private final String name;
    private final Random random;
    private int lines;

    Editor(Path tree, String name, Random random) {
      this.tree = tree;
      this.name = name;
      this.random = random;
    }

    void work() throws IOException {
      for (int i = random.nextInt(5); i > 0; i--) {
        edit(PATHS.get(random.nextInt(PATHS.size())));
      }
    }

    private void edit(String path) throws IOException {
      Path file = tree.resolve(path);
      switch (random.nextInt(6)) {
        case 0 -> Workshop.remove(file);
        case 1 -> {
          Workshop.remove(tree.resolve(path.split("/")[0]));
        }
        case 2 -> {
          clear(path);
          Workshop.remove(file);
          Workshop.write(tree, path, line());
        }
        case 3 -> {
          clear(path);
          Workshop.remove(file);
          Workshop.write(tree, path + "/inner", line());
        }
        default -> {
          if (Files.isRegularFile(file)) {
            var lines = new ArrayList<>(Files.readAllLines(file));
            int at = lines.isEmpty() ? 0 : random.nextInt(lines.size());
            lines.add(at, line().strip());
            Files.writeString(file, String.join("\n", lines) + "\n");
          }
        }
      }
    }

    /** Nothing but folders on the way. */
    private void clear(String path) throws IOException {
      for (Path at = Path.of(path).getParent(); at != null; at = at.getParent()) {
        if (Files.isRegularFile(tree.resolve(at))) {
          Workshop.remove(tree.resolve(at));
        }
      }
    }

    private String line() {
      return "%s wrote line %d%n".formatted(name, lines++);
    }
  }

  private static Set<String> linesOf(SortedMap<String, String> picture, String writer) {
    var lines = new HashSet<String>();
    picture
        .values()
        .forEach(text ->
            Arrays.stream(text.split("\n"))
                .map(line -> line.replaceFirst("^[-rwx]{9} ", ""))
                .filter(line -> line.startsWith(writer))
                .forEach(lines::add));
    return lines;
  }

  private static boolean isFolder(SortedMap<String, String> picture, String path) {
    return "folder".equals(picture.get(path));
  }

  @Test
  void no_edit_is_lost_whatever_both_sides_do() throws Exception {
    Map<String, Integer> outcomes = new HashMap<>();
    for (int seed = 0; seed < ROUNDS; seed++) {
      var random = new Random(seed);
      Path folder = Files.createDirectory(temporary.resolve("" + seed));
      try (var shop = new Workshop(folder)) {
        for (String path : PATHS) {
          String text =
              IntStream.range(0, 12)
                  .mapToObj(i -> path + " " + i + "\n")
                  .reduce("", String::concat);
          shop.everywhere(path, text);
        }
        new Editor(shop.sandbox, "sandbox", random).work();
        new Editor(shop.host, "host", random).work();
        outcomes.merge(round(shop, "seed " + seed), 1, Integer::sum);
      }
      Workshop.remove(folder);
    }
    assertThat(outcomes.get("applied")).isGreaterThan(ROUNDS / 10);
    assertThat(outcomes.get("contested")).isGreaterThan(ROUNDS / 10);
  }

  private static String round(Workshop shop, String seed) throws IOException {
    SortedMap<String, String> base = Workshop.picture(shop.base);
    SortedMap<String, String> sandbox = Workshop.picture(shop.sandbox);
    SortedMap<String, String> host = Workshop.picture(shop.host);
    try (ApplySession session = shop.session()) {
      ApplyPlan plan = session.plan(shop.proposals(), Resolution.REFUSE);
      assertThat(Workshop.picture(shop.host)).as(seed).isEqualTo(host);
      if (!plan.isApplicable()) {
        // Where nobody but one side touched anything there is nothing to contest.
        assertThat(sandbox).as(seed).isNotEqualTo(base);
        assertThat(host).as(seed).isNotEqualTo(base);
        return "contested";
      }
      assertThat(session.apply(plan)).as(seed).isInstanceOf(Outcome.Applied.class);
      SortedMap<String, String> result = Workshop.picture(shop.host);
      judge(base, sandbox, host, result, seed);
      if (!plan.steps().isEmpty()) {
        assertThat(session.undo()).as(seed).containsInstanceOf(Outcome.Applied.class);
        assertThat(Workshop.picture(shop.host)).as(seed + ", undone").isEqualTo(host);
      }
      return "applied";
    }
  }

  private static void judge(
      SortedMap<String, String> base,
      SortedMap<String, String> sandbox,
      SortedMap<String, String> host,
      SortedMap<String, String> result,
      String seed) {
    assertThat(linesOf(result, "sandbox")).as(seed).isEqualTo(linesOf(sandbox, "sandbox"));
    assertThat(linesOf(result, "host")).as(seed).isEqualTo(linesOf(host, "host"));
    var paths = new TreeSet<>(base.keySet());
    paths.addAll(sandbox.keySet());
    paths.addAll(host.keySet());
    paths.addAll(result.keySet());
    var expected = new TreeMap<String, String>();
    for (String path : paths) {
      String was = base.getOrDefault(path, "");
      String theirs = sandbox.getOrDefault(path, "");
      String ours = host.getOrDefault(path, "");
      String now = result.getOrDefault(path, "");
      boolean folder = isFolder(host, path) && theirs.isEmpty() && isFolder(result, path);
      if (folder) {
        // It is kept for something of the host's that is in it.
        assertThat(result.tailMap(path + "/").firstKey()).as(seed).startsWith(path + "/");
      } else if (theirs.equals(was)) {
        expected.put(path, ours.isEmpty() && "folder".equals(now) ? now : ours);
        assertThat(now).as("%s %s", seed, path).isEqualTo(expected.get(path));
      } else if (ours.equals(was) || ours.equals(theirs)) {
        assertThat(now).as("%s %s", seed, path).isEqualTo(theirs);
      }
    }
  }
}
