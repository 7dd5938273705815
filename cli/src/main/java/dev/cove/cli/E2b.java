package dev.cove.cli;

import dev.cove.sdk.ServerAddress;
import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;

/** For programs that were written for E2B. */
final class E2b {
  private E2b() {}

  static CommandSpec describe(Session session) {
    return Description.ofGroup("Use this server with programs that were written for E2B.")
        .verb("env", Env.describe(session))
        .examples("eval \"$(cove e2b env)\" && node my-e2b-script.mjs")
        .build();
  }

  private static final class Env implements Callable<Integer> {
    private static final String OUR_PREFIX = "cove_";
    private static final String THEIR_PREFIX = "e2b_";

    private final Session session;
    private String domain = "";

    private Env(Session session) {
      this.session = session;
    }

    static CommandSpec describe(Session session) {
      var env = new Env(session);
      return Description.of(env, "Print shell lines that make E2B's SDKs use this server.")
          .text(
              "--domain",
              "NAME",
              "Reach it by names below this domain, with TLS, and not by its address.",
              v -> env.domain = v)
          .examples("eval \"$(cove e2b env)\"", "cove e2b env --domain sandboxes.example.com")
          .build();
    }

    @Override
    public Integer call() {
      ServerAddress address = session.requireAddress();
      session.println("export E2B_API_KEY=" + ShellWord.of(theirs(address.apiKey())));
      if (!domain.isEmpty()) {
        session.println("unset E2B_DEBUG E2B_API_URL E2B_SANDBOX_URL E2B_VOLUME_API_URL");
        session.println("export E2B_DOMAIN=" + ShellWord.of(domain));
        return ExitCode.OK;
      }
      String url = ShellWord.of(address.url().toString().replaceFirst("/+$", "") + "/e2b");
      session.println("unset E2B_DEBUG E2B_DOMAIN");
      session.println("export E2B_API_URL=" + url);
      session.println("export E2B_SANDBOX_URL=" + url);
      session.println("export E2B_VOLUME_API_URL=" + url);
      return ExitCode.OK;
    }

    /** The same digits: some of its clients take no key without their own prefix. */
    private static String theirs(String key) {
      return key.startsWith(OUR_PREFIX) ? THEIR_PREFIX + key.substring(OUR_PREFIX.length()) : key;
    }
  }
}
