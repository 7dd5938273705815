package dev.cove.edge.usage;

import java.util.List;
import java.util.Optional;

/**
 * Usage as RFC 4180 has it. Names and labels come from elsewhere, and what begins like a formula is
 * run by whoever opens the file in a spreadsheet: such text gets an apostrophe in front.
 */
final class UsageCsv {
  private static final String HEAD =
      "key,name,project,cpuSeconds,memoryMbSeconds,diskMbSeconds,sentBytes,receivedBytes,"
          + "runningSeconds,pausedSeconds,stoppedSeconds,cost,currency";
  private static final String FORMULA_STARTS = "=+-@\t\r\n|%＝＋－＠";

  private UsageCsv() {}

  static String of(List<UsageBody> items, Optional<String> currency) {
    var text = new StringBuilder(HEAD).append("\r\n");
    for (UsageBody item : items) {
      text.append(cell(item.key()))
          .append(',')
          .append(cell(item.name().orElse("")))
          .append(',')
          .append(cell(item.project().orElse("")))
          .append(',')
          .append(
              "%s,%s,%s,%d,%d,%s,%s,%s,%s,%s"
                  .formatted(
                      item.cpuSeconds().toPlainString(),
                      item.memoryMbSeconds().toPlainString(),
                      item.diskMbSeconds().toPlainString(),
                      item.sentBytes(),
                      item.receivedBytes(),
                      item.runningSeconds().toPlainString(),
                      item.pausedSeconds().toPlainString(),
                      item.stoppedSeconds().toPlainString(),
                      item.cost().orElse(""),
                      currency.orElse("")))
          .append("\r\n");
    }
    return text.toString();
  }

  static String cell(String text) {
    boolean formula = !text.isEmpty() && FORMULA_STARTS.indexOf(text.charAt(0)) >= 0;
    return '"' + (formula ? "'" : "") + text.replace("\"", "\"\"") + '"';
  }
}
