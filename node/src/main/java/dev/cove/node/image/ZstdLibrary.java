package dev.cove.node.image;

import com.github.luben.zstd.util.ZstdVersion;
import dev.cove.node.library.NativeLibrary;
import java.io.IOException;
import java.nio.file.Path;

/** Where the native code that reads zstd is loaded from. */
public final class ZstdLibrary {
  private ZstdLibrary() {}

  /** Must come before the first layer is read. */
  public static void loadFrom(Path folder) throws IOException {
    String resource = "/linux/%s/libzstd-jni-%s.so".formatted(architecture(), ZstdVersion.VERSION);
    Path home = folder.resolve("zstd-" + ZstdVersion.VERSION);
    Path library = NativeLibrary.unpack(ZstdVersion.class, resource, home);
    System.setProperty("ZstdNativePath", library.toString());
  }

  private static String architecture() {
    String arch = System.getProperty("os.arch");
    return arch.equals("x86_64") ? "amd64" : arch;
  }
}
