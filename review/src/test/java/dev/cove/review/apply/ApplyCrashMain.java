package dev.cove.review.apply;

import java.nio.file.Path;

/** Applies in a process of its own, which a test ends at a fail point. */
final class ApplyCrashMain {
  private ApplyCrashMain() {}

  public static void main(String[] arguments) throws Exception {
    try (var shop = new Workshop(Path.of(arguments[0]));
        ApplySession session = shop.session()) {
      if (arguments[1].equals("undo")) {
        System.out.println(session.undo());
      } else if (arguments[1].equals("apply")) {
        ApplyPlan plan = session.plan(shop.proposals(), Resolution.REFUSE);
        if (arguments.length > 2) {
          Workshop.write(shop.host, arguments[2], "edited in the very moment");
        }
        System.out.println(session.apply(plan));
      }
    }
  }
}
