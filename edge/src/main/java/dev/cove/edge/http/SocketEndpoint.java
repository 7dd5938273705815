package dev.cove.edge.http;

import java.io.IOException;

/** Talks over one WebSocket until it returns; then the socket is closed. */
@FunctionalInterface
public interface SocketEndpoint {
  void run(Socket socket) throws IOException, InterruptedException;
}
