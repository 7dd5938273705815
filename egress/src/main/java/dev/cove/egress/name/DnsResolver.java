package dev.cove.egress.name;

import dev.cove.model.network.DomainName;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.xbill.DNS.AAAARecord;
import org.xbill.DNS.ARecord;
import org.xbill.DNS.CNAMERecord;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Flags;
import org.xbill.DNS.Header;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.Section;
import org.xbill.DNS.Type;

/**
 * Asks one server. Every question goes out from a fresh port with a random id, and only an answer
 * to just this question from just this server counts.
 */
final class DnsResolver implements Resolver {
  private static final Duration PATIENCE = Duration.ofSeconds(4);

  /** After these, in milliseconds, the question is sent once more. */
  private static final int[] TRIES = {700, 1_300, 2_000};

  private static final int MAX_DATAGRAM = 4_096;
  private static final int MAX_ADDRESSES = 16;
  private static final int MAX_ALIASES = 16;
  private static final SecureRandom RANDOM = new SecureRandom();

  private final InetSocketAddress server;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

  DnsResolver(InetSocketAddress server) {
    this.server = server;
  }

  @Override
  public Resolution resolve(DomainName name) throws InterruptedException {
    CompletableFuture<Resolution> six =
        CompletableFuture.supplyAsync(() -> resolve(name, Type.AAAA), threads);
    Resolution four = resolve(name, Type.A);
    try {
      return together(four, six.get());
    } catch (ExecutionException e) {
      return four;
    }
  }

  private static Resolution together(Resolution four, Resolution six) {
    if (four instanceof Resolution.Found a && six instanceof Resolution.Found b) {
      var addresses = new ArrayList<>(a.addresses());
      addresses.addAll(b.addresses());
      var aliases = new ArrayList<>(a.aliases());
      aliases.addAll(b.aliases());
      Duration shorter =
          a.timeToLive().compareTo(b.timeToLive()) < 0 ? a.timeToLive() : b.timeToLive();
      return new Resolution.Found(addresses, aliases, shorter);
    }
    return four instanceof Resolution.Found || !(six instanceof Resolution.Found) ? four : six;
  }

  private Resolution resolve(DomainName name, int type) {
    try {
      Record question = Record.newRecord(Name.fromString(name.value() + "."), type, DClass.IN);
      Message query = Message.newQuery(question);
      query.getHeader().setID(RANDOM.nextInt(0x1_0000));
      return read(exchange(query), question);
    } catch (IOException | RuntimeException e) {
      // The codec throws both at what it cannot read; either way nobody could say.
      return new Resolution.Failed();
    }
  }

  private Message exchange(Message query) throws IOException {
    Message answer = byDatagram(query);
    return answer.getHeader().getFlag(Flags.TC) ? byStream(query) : answer;
  }

  private Message byDatagram(Message query) throws IOException {
    byte[] bytes = query.toWire();
    try (var socket = new DatagramSocket()) {
      socket.connect(server);
      for (int patience : TRIES) {
        socket.send(new DatagramPacket(bytes, bytes.length));
        try {
          return await(socket, query, patience);
        } catch (SocketTimeoutException e) {
          // Lost on the way, perhaps.
        }
      }
      throw new SocketTimeoutException("No answer");
    }
  }

  private static Message await(DatagramSocket socket, Message query, int patience)
      throws IOException {
    long deadline = System.nanoTime() + Duration.ofMillis(patience).toNanos();
    var packet = new DatagramPacket(new byte[MAX_DATAGRAM], MAX_DATAGRAM);
    while (true) {
      long left = Duration.ofNanos(deadline - System.nanoTime()).toMillis();
      if (left <= 0) {
        throw new SocketTimeoutException("No answer");
      }
      socket.setSoTimeout((int) left);
      packet.setLength(MAX_DATAGRAM);
      socket.receive(packet);
      byte[] bytes = Arrays.copyOf(packet.getData(), packet.getLength());
      if (bytes.length >= Header.LENGTH
          && ByteBuffer.wrap(bytes).getShort() == (short) query.getHeader().getID()) {
        return answerTo(query, bytes);
      }
    }
  }

  private Message byStream(Message query) throws IOException {
    byte[] bytes = query.toWire();
    try (var socket = new Socket()) {
      int patience = (int) PATIENCE.toMillis();
      socket.connect(server, patience);
      socket.setSoTimeout(patience);
      socket
          .getOutputStream()
          .write(
              ByteBuffer.allocate(2 + bytes.length)
                  .putShort((short) bytes.length)
                  .put(bytes)
                  .array());
      var in = new DataInputStream(socket.getInputStream());
      byte[] answer = new byte[in.readUnsignedShort()];
      in.readFully(answer);
      return answerTo(query, answer);
    }
  }

  private static Message answerTo(Message query, byte[] bytes) throws IOException {
    var answer = new Message(bytes);
    Record question = answer.getQuestion();
    if (!answer.getHeader().getFlag(Flags.QR)
        || answer.getHeader().getID() != query.getHeader().getID()
        || question == null
        || !question.equals(query.getQuestion())) {
      throw new IOException("That answers another question");
    }
    return answer;
  }

  private static Resolution read(Message answer, Record question) {
    return switch (answer.getRcode()) {
      case Rcode.NXDOMAIN -> new Resolution.Missing();
      case Rcode.NOERROR -> follow(answer.getSection(Section.ANSWER), question);
      default -> new Resolution.Failed();
    };
  }

  /** Only records that the question leads to, by way of aliases, are taken. */
  private static Resolution follow(List<Record> records, Record question) {
    var aliases = new ArrayList<DomainName>();
    var addresses = new ArrayList<InetAddress>();
    Name owner = question.getName();
    long ttl = Long.MAX_VALUE;
    for (int i = 0; i <= MAX_ALIASES && addresses.isEmpty(); i++) {
      Name current = owner;
      for (Record record : records) {
        if (!record.getName().equals(current) || record.getDClass() != DClass.IN) {
          continue;
        }
        if (record instanceof CNAMERecord alias && owner.equals(current)) {
          owner = alias.getTarget();
          aliases.add(DomainName.of(owner.toString(true)));
          ttl = Math.min(ttl, record.getTTL());
        } else if (record.getType() == question.getType() && addresses.size() < MAX_ADDRESSES) {
          addresses.add(addressOf(record));
          ttl = Math.min(ttl, record.getTTL());
        }
      }
      if (owner.equals(current)) {
        break;
      }
    }
    return addresses.isEmpty()
        ? new Resolution.Empty()
        : new Resolution.Found(addresses, aliases, Duration.ofSeconds(ttl));
  }

  private static InetAddress addressOf(Record record) {
    return switch (record) {
      case ARecord a -> a.getAddress();
      case AAAARecord aaaa -> aaaa.getAddress();
      default -> throw new IllegalArgumentException("That is no record of an address");
    };
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}
