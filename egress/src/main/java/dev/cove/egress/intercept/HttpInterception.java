package dev.cove.egress.intercept;

import dev.cove.model.SandboxId;
import dev.cove.model.network.Destination;
import java.io.IOException;
import java.util.Optional;

/** Looks at requests, and perhaps changes them, where connections are not enough. */
public interface HttpInterception {
  /** None: what needs it is denied. */
  HttpInterception NONE =
      new HttpInterception() {
        @Override
        public boolean handles(SandboxId sandbox, Destination destination, boolean tls) {
          return false;
        }

        @Override
        public void take(InterceptedConnection connection) {
          throw new IllegalStateException("There is no interception");
        }

        @Override
        public Optional<byte[]> caCertificate(SandboxId sandbox) {
          return Optional.empty();
        }

        @Override
        public void forget(SandboxId sandbox) {}
      };

  /** Whether it could look at the requests of such a connection, should rules ask for it. */
  boolean handles(SandboxId sandbox, Destination destination, boolean tls);

  /**
   * Serves the connection and returns when it has ended; whatever it leaves open is closed then.
   * Every request is to be decided on by {@link InterceptedConnection#decide} before it goes out.
   */
  void take(InterceptedConnection connection) throws Exception;

  /** What a sandbox has to trust for its TLS to be looked into, as PEM. */
  Optional<byte[]> caCertificate(SandboxId sandbox) throws IOException;

  /** Removes what is kept of a sandbox that will not come back. */
  void forget(SandboxId sandbox) throws IOException;
}
