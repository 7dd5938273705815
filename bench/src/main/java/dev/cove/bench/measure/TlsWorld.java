package dev.cove.bench.measure;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;

/** A host of the world: a name, a certificate for it, and a server that only answers. */
final class TlsWorld implements AutoCloseable {
  static final String NAME = "api.bench.test";

  private static final String PASSWORD = "not-a-secret";
  private static final byte[] ANSWER =
      "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".getBytes(StandardCharsets.US_ASCII);

  private final InetAddress address;
  private final Path certificate;
  private final SSLServerSocket listener;
  private final DatagramSocket names;
  private final String secret;
  private final AtomicInteger withSecret = new AtomicInteger();

  /**
   * @param secret is counted where it comes
   */
  TlsWorld(InetAddress address, Path folder, String secret)
      throws IOException, InterruptedException {
    this.address = address;
    this.secret = secret;
    this.certificate = folder.resolve("world.pem");
    try {
      listener =
          (SSLServerSocket)
              context(folder.resolve("keys.p12")).getServerSocketFactory().createServerSocket();
    } catch (GeneralSecurityException e) {
      throw new IOException("This machine's Java cannot make certificates", e);
    }
    listener.bind(new InetSocketAddress(address, 0), 256);
    names = new DatagramSocket(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    Thread.ofVirtual().start(this::accept);
    Thread.ofVirtual().start(this::nameIt);
  }

  private SSLContext context(Path store)
      throws IOException, InterruptedException, GeneralSecurityException {
    Process keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-keyalg",
                "EC",
                "-alias",
                "world",
                "-dname",
                "CN=bench",
                "-ext",
                "san=dns:" + NAME,
                "-storepass",
                PASSWORD,
                "-keystore",
                store.toString())
            .redirectErrorStream(true)
            .start();
    String said = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (keytool.waitFor() != 0) {
      throw new IOException("keytool: " + said);
    }
    var keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(store)) {
      keys.load(in, PASSWORD.toCharArray());
    }
    String text = Base64.getMimeEncoder().encodeToString(keys.getCertificate("world").getEncoded());
    Files.writeString(
        certificate, "-----BEGIN CERTIFICATE-----\n" + text + "\n-----END CERTIFICATE-----\n");
    var managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    managers.init(keys, PASSWORD.toCharArray());
    var context = SSLContext.getInstance("TLS");
    context.init(managers.getKeyManagers(), null, null);
    return context;
  }

  InetAddress address() {
    return address;
  }

  int port() {
    return listener.getLocalPort();
  }

  /** Of its own authority. */
  Path certificate() {
    return certificate;
  }

  /** Who knows its name, as a setting of Cove's. */
  String nameServer() {
    return names.getLocalAddress().getHostAddress() + ":" + names.getLocalPort();
  }

  int requestsWithSecret() {
    return withSecret.get();
  }

  private void accept() {
    try {
      while (true) {
        Socket peer = listener.accept();
        Thread.ofVirtual().start(() -> serve(peer));
      }
    } catch (IOException _) {
      // Closed.
    }
  }

  /** Each request comes in one piece, for whoever asks here is the bench. */
  private void serve(Socket peer) {
    byte[] request = new byte[4_096];
    try (peer) {
      peer.setTcpNoDelay(true);
      InputStream in = peer.getInputStream();
      OutputStream out = peer.getOutputStream();
      for (int read = in.read(request); read > 0; read = in.read(request)) {
        if (new String(request, 0, read, StandardCharsets.ISO_8859_1).contains(secret)) {
          withSecret.incrementAndGet();
        }
        out.write(ANSWER);
      }
    } catch (IOException _) {
      // The client left.
    }
  }

  /** Whatever is asked for has this address, and no other kind of it. */
  private void nameIt() {
    byte[] room = new byte[512];
    try {
      while (true) {
        var query = new DatagramPacket(room, room.length);
        names.receive(query);
        byte[] answer = answerTo(ByteBuffer.wrap(room, 0, query.getLength()));
        names.send(new DatagramPacket(answer, answer.length, query.getSocketAddress()));
      }
    } catch (IOException _) {
      // Closed.
    }
  }

  private byte[] answerTo(ByteBuffer query) {
    int end = 12;
    while (query.get(end) != 0) {
      end += query.get(end) + 1;
    }
    boolean wantsAddress = query.getShort(end + 1) == 1;
    int question = end + 5;
    ByteBuffer answer = ByteBuffer.allocate(question + 16);
    answer.putShort(query.getShort(0)).putShort((short) 0x8180).putShort((short) 1);
    answer.putShort((short) (wantsAddress ? 1 : 0)).putInt(0);
    answer.put(query.slice(12, question - 12));
    if (wantsAddress) {
      answer.putShort((short) 0xc00c).putShort((short) 1).putShort((short) 1).putInt(300);
      answer.putShort((short) 4).put(address.getAddress());
    }
    byte[] bytes = new byte[answer.position()];
    answer.flip().get(bytes);
    return bytes;
  }

  @Override
  public void close() throws IOException {
    names.close();
    listener.close();
  }
}
