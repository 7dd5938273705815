package dev.cove.egress.intercept;

import dev.cove.model.SandboxId;
import dev.cove.model.network.Destination;

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
        public boolean wanted(SandboxId sandbox, Destination destination) {
          return false;
        }

        @Override
        public void take(InterceptedConnection connection) {
          throw new IllegalStateException("There is no interception");
        }
      };

  /** Whether it could look at the requests of such a connection, should rules ask for it. */
  boolean handles(SandboxId sandbox, Destination destination, boolean tls);

  /** Whether it is to have connections there even though rules allow them as they are. */
  boolean wanted(SandboxId sandbox, Destination destination);

  /**
   * Serves the connection and returns when it has ended; whatever it leaves open is closed then.
   * Every request is to be decided on by {@link InterceptedConnection#decide} before it goes out.
   */
  void take(InterceptedConnection connection) throws Exception;
}
