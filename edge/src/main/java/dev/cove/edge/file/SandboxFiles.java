package dev.cove.edge.file;

import dev.cove.control.sandbox.Sandbox;
import dev.cove.control.sandbox.SandboxLifecycle;
import dev.cove.edge.exec.GuestUser;
import dev.cove.edge.http.Exchange;
import dev.cove.guest.GuestFiles;

/** The files of the sandbox that a request is about, with the rights of the user that it names. */
public final class SandboxFiles {
  private SandboxFiles() {}

  public static GuestFiles of(SandboxLifecycle lifecycle, Exchange exchange) {
    Sandbox sandbox = lifecycle.require(exchange.path("box"));
    String user = GuestUser.require(exchange.query().find("user").orElse(null), sandbox.spec());
    return lifecycle.guest(sandbox.id().value()).files(user);
  }
}
