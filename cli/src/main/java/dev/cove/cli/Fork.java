package dev.cove.cli;

import dev.cove.sdk.Cove;
import dev.cove.sdk.CoveApiException;
import dev.cove.sdk.Sandbox;
import dev.cove.sdk.SandboxInfo;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;

final class Fork implements Callable<Integer> {
  private final Session session;

  private int count = 1;

  private boolean json;

  private Optional<String> box = Optional.empty();

  private Optional<String> checkpoint = Optional.empty();

  private Fork(Session session) {
    this.session = session;
  }

  static CommandSpec describe(Session session) {
    var fork = new Fork(session);
    return Description.of(
            fork, "Make sandboxes that start with the state of another, and print their ids.")
        .value(
            "--count",
            "N",
            "How many; default 1.",
            Integer::valueOf,
            Integer.class,
            count -> fork.count = count)
        .flag("--json", "Print the new sandboxes as a JSON array.", () -> fork.json = true)
        .text(
            "--checkpoint",
            "ID",
            "Start with this checkpoint rather than with a sandbox as it is now.",
            id -> fork.checkpoint = Optional.of(id))
        .optionalParameter("BOX", "The sandbox's id or name.", box -> fork.box = Optional.of(box))
        .examples(
            "cove fork box",
            "cove fork --count 10 box",
            "cove fork --checkpoint c0123456789abcdefghi --count 3")
        .build();
  }

  private List<dev.cove.sdk.Fork> fork(Cove cove) {
    if (checkpoint.isPresent()) {
      return cove.checkpoints().fork(checkpoint.get(), count);
    }
    return cove.sandboxes().require(box.orElseThrow()).fork(count);
  }

  @Override
  public Integer call() {
    if (box.isPresent() == checkpoint.isPresent()) {
      throw new Misuse("Say either which sandbox to fork, or --checkpoint and which one");
    }
    List<SandboxInfo> made = new ArrayList<>();
    List<CoveApiException> failures = new ArrayList<>();
    try (Cove cove = session.connect()) {
      for (dev.cove.sdk.Fork child : fork(cove)) {
        switch (child) {
          case dev.cove.sdk.Fork.Made(Sandbox sandbox) -> made.add(sandbox.detach().info());
          case dev.cove.sdk.Fork.Failed(CoveApiException failure) -> failures.add(failure);
        }
      }
    }
    if (json) {
      session.println(JsonLines.array(made, SandboxInfo::toJson));
    } else {
      made.forEach(child -> session.println(child.id()));
    }
    failures.forEach(failure -> session.note("cove: A child was not made: " + failure.detail()));
    return failures.isEmpty() ? ExitCode.OK : ExitCode.FAILED;
  }
}
