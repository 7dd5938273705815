package dev.cove.cli;

import java.util.Locale;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads a size such as {@code 512M}, {@code 1.5G} or {@code 256}. */
final class Megabytes implements ITypeConverter<Megabytes.Size> {
  /** A whole number of megabytes. */
  record Size(int count) {}

  @Override
  public Size convert(String text) {
    String lower = text.strip().toLowerCase(Locale.ROOT).replaceFirst("(ib|b)$", "");
    double factor = lower.endsWith("t") ? 1024 * 1024 : lower.endsWith("g") ? 1024 : 1;
    String digits = lower.replaceFirst("[mgt]$", "");
    if (!digits.matches("[0-9]{1,9}(\\.[0-9]{1,3})?")) {
      throw wrong(text);
    }
    double megabytes = Double.parseDouble(digits) * factor;
    if (megabytes < 1 || megabytes > Integer.MAX_VALUE) {
      throw wrong(text);
    }
    return new Size((int) Math.ceil(megabytes));
  }

  private static TypeConversionException wrong(String text) {
    return new TypeConversionException("'" + text + "' is not a size such as 512M or 2G");
  }
}
