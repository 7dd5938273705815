package dev.cove.egress.intercept;

import dev.cove.egress.dial.DialFailedException;
import dev.cove.egress.http.Page;
import dev.cove.egress.http.RefusedRequestException;
import dev.cove.model.SandboxId;
import dev.cove.model.network.Destination;
import dev.cove.model.network.NetworkRule.Request;
import dev.cove.model.network.Verdict;
import dev.cove.model.secret.SecretBinding;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.time.Duration;
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

  /**
   * Decides on a request and writes it down if it is refused.
   *
   * @param sameHost whether every place of it that names a host names the destination
   */
  void check(Request request, boolean sameHost) throws RefusedRequestException;

  /** The secrets that are bound to the destination at this moment. */
  List<SecretBinding> secrets();

  /** A new connection to a checked address of the destination, in blocking mode. */
  SocketChannel dial() throws DialFailedException, InterruptedException;

  /** What the client is told when there is no connection to the destination. */
  Page page(DialFailedException failure);

  /** Writes down that the destination was reached and could not be spoken with. */
  void failed(String why);

  /** How long the head of a request, or a step of a TLS handshake, may take. */
  Duration patience();

  /** Ends it at once; the program inside sees a reset. */
  void cut();

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
