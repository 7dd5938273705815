package dev.cove.review.text;

import dev.cove.model.file.ByteText;
import dev.cove.review.tree.TreePath;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/** Writes changes as git does, so that {@code git apply} and {@code patch} understand them. */
public final class GitPatch {
  private static final int CONTEXT = 3;
  private static final int BLANK_TO_DELETE = 0x7f;

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  /** One version of a path. */
  public static final class Side {
    private final TreePath path;
    private final String mode;
    private final byte[] content;

    private Side(TreePath path, String mode, byte[] content) {
      this.path = path;
      this.mode = mode;
      this.content = content.clone();
    }

    public static Side file(TreePath path, byte[] content) {
      return new Side(path, "100644", content);
    }

    public static Side program(TreePath path, byte[] content) {
      return new Side(path, "100755", content);
    }

    public static Side link(TreePath path, String target) {
      return new Side(path, "120000", ByteText.encode(target));
    }
  }

  public void added(Side after) {
    head(after.path, after.path);
    line("new file mode " + after.mode);
    body("/dev/null", name("b/", after.path), new byte[0], after.content);
  }

  public void deleted(Side before) {
    head(before.path, before.path);
    line("deleted file mode " + before.mode);
    body(name("a/", before.path), "/dev/null", before.content, new byte[0]);
  }

  /** Also where the path is another. Both are files, or both are links. */
  public void changed(Side before, Side after) {
    boolean content = !Arrays.equals(before.content, after.content);
    if (!content && before.mode.equals(after.mode) && before.path.equals(after.path)) {
      return; // git is confused by a heading with nothing below it
    }
    head(before.path, after.path);
    if (!before.mode.equals(after.mode)) {
      line("old mode " + before.mode);
      line("new mode " + after.mode);
    }
    if (!before.path.equals(after.path)) {
      line("rename from " + name("", before.path));
      line("rename to " + name("", after.path));
    }
    if (content) {
      body(name("a/", before.path), name("b/", after.path), before.content, after.content);
    }
  }

  public int size() {
    return out.size();
  }

  public byte[] bytes() {
    return out.toByteArray();
  }

  private void head(TreePath before, TreePath after) {
    line("diff --git " + name("a/", before) + " " + name("b/", after));
  }

  private void body(String before, String after, byte[] then, byte[] now) {
    if (Lines.isBinary(then) || Lines.isBinary(now)) {
      line("Binary files " + before + " and " + after + " differ");
      return;
    }
    List<String> hunks = UnifiedDiff.hunks(Lines.of(then), Lines.of(now), CONTEXT);
    if (!hunks.isEmpty()) {
      line("--- " + before + tabIfBlank(before));
      line("+++ " + after + tabIfBlank(after));
      hunks.forEach(this::bytes);
    }
  }

  /** A name with blanks is ended by a tab, or it would be cut at the first. */
  private static String tabIfBlank(String name) {
    return name.indexOf(' ') >= 0 && !name.startsWith("\"") ? "\t" : "";
  }

  /** In quotes, as a C string, where there is anything but printable ASCII in it. */
  private static String name(String prefix, TreePath path) {
    var quoted = new StringBuilder();
    boolean plain = true;
    for (byte one : ByteText.encode(prefix + path.text())) {
      int value = Byte.toUnsignedInt(one);
      if (value == '"' || value == '\\') {
        quoted.append('\\').append((char) value);
        plain = false;
      } else if (value < ' ' || value >= BLANK_TO_DELETE) {
        quoted.append("\\%03o".formatted(value));
        plain = false;
      } else {
        quoted.append((char) value);
      }
    }
    return plain ? quoted.toString() : "\"" + quoted + "\"";
  }

  private void line(String text) {
    bytes(text + "\n");
  }

  private void bytes(String text) {
    out.writeBytes(text.getBytes(StandardCharsets.ISO_8859_1));
  }
}
