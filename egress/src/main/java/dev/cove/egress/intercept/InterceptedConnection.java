package dev.cove.egress.intercept;

import dev.cove.egress.dial.DialFailedException;
import dev.cove.model.SandboxId;
import dev.cove.model.network.Destination;
import dev.cove.model.network.NetworkRule.Request;
import dev.cove.model.network.Verdict;
import dev.cove.model.secret.SecretBinding;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.util.List;

/**
 * A connection whose requests are to be looked at. When rules change so that it may not go on, its
 * channels are closed without a word.
 */
public interface InterceptedConnection {
  SandboxId sandbox();

  /** Where the program wants to go. With TLS its ClientHello names the same host. */
  Destination destination();

  /** Whether the program speaks TLS; else HTTP/1 without. */
  boolean tls();

  /** In blocking mode; behind the bytes that were {@link #ahead read ahead}. */
  SocketChannel client();

  /** What was read from the client so far, and sent nowhere; to be asked for once. */
  byte[] ahead();

  /** By the rules of this moment; never {@code BY_REQUEST}, and {@code ASK} means no. */
  Verdict decide(Request request);

  /** The secrets that are bound to the destination at this moment. */
  List<SecretBinding> secrets();

  /** A new connection to a checked address of the destination, in blocking mode. */
  SocketChannel dial() throws DialFailedException, InterruptedException;

  /** Closes a connection that was dialled and is of no more use. */
  void release(SocketChannel dialled);

  /**
   * Counts bytes to the world; to be called before they go.
   *
   * @throws IOException there may be no more of them
   */
  void sent(long bytes) throws IOException;

  /**
   * Counts bytes from the world.
   *
   * @throws IOException there may be no more of them
   */
  void received(long bytes) throws IOException;
}
