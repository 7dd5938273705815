package dev.cove.control.move;

import dev.cove.model.CoveException;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** The form of a file: the manifest, and the layers' content in the manifest's order. */
final class ExportFile {
  private static final CheckedFile FORM = new CheckedFile("cove export 1", "export of Cove's");
  private static final int MAX_MANIFEST = 1 << 20;
  private static final JsonMapper JSON =
      JsonMapper.builder().enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES).build();

  private ExportFile() {}

  /**
   * @param content what comes after the manifest
   */
  static void write(Manifest manifest, CheckedFile.Content content, OutputStream target)
      throws IOException {
    FORM.write(
        out -> {
          byte[] text = JSON.writeValueAsBytes(manifest);
          new DataOutputStream(out).writeInt(text.length);
          out.write(text);
          content.writeTo(out);
        },
        target);
  }

  static void verify(Path file) throws IOException {
    FORM.verify(file);
  }

  /** Reads the manifest; the layers follow in the stream. */
  static Manifest manifest(InputStream content) throws IOException {
    var data = new DataInputStream(content);
    int length = data.readInt();
    if (length < 2 || length > MAX_MANIFEST) {
      throw refusal("its manifest has a length that makes no sense");
    }
    byte[] text = data.readNBytes(length);
    try {
      return JSON.readValue(text, Manifest.class);
    } catch (JacksonException e) {
      throw refusal("its manifest makes no sense");
    }
  }

  static InputStream open(Path file) throws IOException {
    return FORM.open(file);
  }

  static CoveException refusal(String why) {
    return FORM.refusal(why);
  }
}
