package dev.cove.control.ledger;

import java.util.Arrays;
import java.util.List;

/** A list of texts as one column: a line for each, with line ends and backslashes escaped. */
public final class Words {
  private Words() {}

  public static String encode(List<String> words) {
    var text = new StringBuilder();
    for (String word : words) {
      text.append(word.replace("\\", "\\\\").replace("\n", "\\n")).append('\n');
    }
    return text.toString();
  }

  public static List<String> decode(String text) {
    String[] lines = text.split("\n", -1); // String.lines would also break at a carriage return
    return Arrays.stream(lines).limit(lines.length - 1L).map(Words::unescape).toList();
  }

  private static String unescape(String line) {
    var word = new StringBuilder();
    for (int i = 0; i < line.length(); i++) {
      char c = line.charAt(i);
      if (c == '\\' && i + 1 < line.length()) {
        i++;
        word.append(line.charAt(i) == 'n' ? '\n' : line.charAt(i));
      } else {
        word.append(c);
      }
    }
    return word.toString();
  }
}
