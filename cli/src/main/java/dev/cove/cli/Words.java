package dev.cove.cli;

import java.util.List;
import java.util.function.Function;
import picocli.CommandLine.TypeConversionException;

/**
 * The words of a list, read after parsing: of a list that picocli reads itself, it leaves over what
 * it cannot convert, and then complains of an unmatched argument.
 */
final class Words {
  private Words() {}

  static <T> List<T> read(List<String> words, Function<String, T> reader) {
    try {
      return words.stream().map(reader).toList();
    } catch (TypeConversionException e) {
      throw new Misuse(String.valueOf(e.getMessage()));
    }
  }
}
