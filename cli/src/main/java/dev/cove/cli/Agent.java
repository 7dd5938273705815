package dev.cove.cli;

import dev.cove.sdk.SecretBinding;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A coding agent that npm has.
 *
 * @param npm its package
 * @param always arguments that it needs in a sandbox
 * @param unattended arguments that keep it from asking before each step
 * @param keys what it calls its model with
 * @param env variables for a program that nobody updates
 * @param setUp a line for {@code sh} after it was installed; empty for none
 */
record Agent(
    String name,
    String npm,
    String program,
    List<String> always,
    List<String> unattended,
    List<ApiKey> keys,
    Map<String, String> env,
    String setUp) {
  private static final ApiKey ANTHROPIC =
      new ApiKey("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "api.anthropic.com", "x-api-key");
  private static final ApiKey OPENAI =
      new ApiKey("OPENAI_API_KEY", "OPENAI_BASE_URL", "api.openai.com", "");

  static final Agent CLAUDE =
      new Agent(
          "claude",
          "@anthropic-ai/claude-code",
          "claude",
          List.of(),
          List.of("--dangerously-skip-permissions"),
          List.of(ANTHROPIC),
          Map.of(
              "DISABLE_AUTOUPDATER", "1",
              "DISABLE_TELEMETRY", "1",
              "DISABLE_ERROR_REPORTING", "1",
              "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
          // Its first start would ask for colours and a login before it looks for a key.
          "echo '{\"hasCompletedOnboarding\":true}' > ~/.claude.json");

  static final Agent CODEX =
      new Agent(
          "codex",
          "@openai/codex",
          "codex",
          // Without a login it takes a key only from a provider that names the variable.
          List.of(
              "-c",
              "model_provider=\"cove\"",
              "-c",
              "model_providers.cove={name=\"OpenAI\",base_url=\"${OPENAI_BASE_URL}\","
                  + "env_key=\"OPENAI_API_KEY\",wire_api=\"responses\"}"),
          List.of("--dangerously-bypass-approvals-and-sandbox"),
          List.of(OPENAI),
          Map.of(),
          "");

  static final Agent OPENCODE =
      new Agent(
          "opencode",
          "opencode-ai",
          "opencode",
          List.of(),
          List.of(),
          List.of(ANTHROPIC, OPENAI),
          Map.of("OPENCODE_DISABLE_AUTOUPDATE", "1", "OPENCODE_DISABLE_LSP_DOWNLOAD", "1"),
          "");

  /**
   * A key to a model.
   *
   * @param variable that holds it outside, and a placeholder inside
   * @param address variable that names another server than the usual
   * @param header that it goes in; empty for a bearer token
   */
  record ApiKey(String variable, String address, String host, String header) {
    /** The server that the key goes to, as rules name it. */
    String destination(Map<String, String> environment) {
      return url(environment)
          .map(url -> url.getPort() < 0 ? url.getHost() : url.getHost() + ":" + url.getPort())
          .orElse(host);
    }

    /** Another server than the usual, where the user has named one. */
    Optional<URI> url(Map<String, String> environment) {
      String text = environment.getOrDefault(address, "");
      if (text.isEmpty()) {
        return Optional.empty();
      }
      try {
        URI url = URI.create(text);
        if (url.getHost() != null && "https".equals(url.getScheme())) {
          return Optional.of(url);
        }
      } catch (IllegalArgumentException e) {
        // Said below.
      }
      throw new UserError("%s is no address such as https://models.example.com".formatted(address));
    }

    SecretBinding binding(Map<String, String> environment) {
      String destination = destination(environment);
      return header.isEmpty()
          ? SecretBinding.bearer(variable, destination)
          : SecretBinding.header(variable, header, destination);
    }
  }

  /** The template that it is installed in. */
  String template() {
    return "agent-" + name;
  }

  List<String> command(List<String> arguments, boolean asks, Map<String, String> environment) {
    var command = new ArrayList<String>();
    command.add(program);
    for (String word : always) {
      String base =
          keys.getFirst()
              .url(environment)
              .map(URI::toString)
              .orElse("https://" + keys.getFirst().host() + "/v1");
      command.add(word.replace("${OPENAI_BASE_URL}", base));
    }
    command.addAll(asks ? List.of() : unattended);
    command.addAll(arguments);
    return command;
  }
}
