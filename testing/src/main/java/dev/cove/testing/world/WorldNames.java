package dev.cove.testing.world;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import org.xbill.DNS.AAAARecord;
import org.xbill.DNS.ARecord;
import org.xbill.DNS.CNAMERecord;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Flags;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.Section;
import org.xbill.DNS.Type;

/** A DNS server of the world outside, which remembers who asked for what. */
public final class WorldNames implements AutoCloseable {
  private final DatagramSocket socket;
  private final Map<String, Supplier<List<Record>>> zones = new ConcurrentHashMap<>();
  private final List<String> asked = new CopyOnWriteArrayList<>();
  private volatile int code = Rcode.NOERROR;
  private volatile boolean silent;

  public WorldNames() throws IOException {
    socket = new DatagramSocket(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0));
    Thread.ofVirtual().start(this::serve);
  }

  public InetSocketAddress address() {
    return (InetSocketAddress) socket.getLocalSocketAddress();
  }

  public void put(String name, String... addresses) {
    put(name, 60, addresses);
  }

  public void put(String name, long ttl, String... addresses) {
    List<Record> records = records(name, ttl, addresses);
    zones.put(name, () -> records);
  }

  public void putAnswers(String name, Supplier<String[]> addresses) {
    zones.put(name, () -> records(name, 0, addresses.get()));
  }

  public void alias(String name, String target, String... addresses) {
    var records = new ArrayList<Record>();
    records.add(new CNAMERecord(name(name), DClass.IN, 60, name(target)));
    records.addAll(records(target, 60, addresses));
    zones.put(name, () -> records);
  }

  public void fail(int rcode) {
    code = rcode;
  }

  public void fallSilent() {
    silent = true;
  }

  public List<String> asked() {
    return List.copyOf(asked);
  }

  private static List<Record> records(String name, long ttl, String... addresses) {
    return Arrays.stream(addresses)
        .map(InetAddress::ofLiteral)
        .map(address ->
            address.getAddress().length == 4
                ? new ARecord(name(name), DClass.IN, ttl, address)
                : new AAAARecord(name(name), DClass.IN, ttl, address))
        .map(Record.class::cast)
        .toList();
  }

  private static Name name(String text) {
    try {
      return Name.fromString(text + ".");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void serve() {
    var packet = new DatagramPacket(new byte[4096], 4096);
    while (true) {
      try {
        socket.receive(packet);
        var query = new Message(Arrays.copyOf(packet.getData(), packet.getLength()));
        byte[] answer = answer(query).toWire();
        if (!silent) {
          socket.send(new DatagramPacket(answer, answer.length, packet.getSocketAddress()));
        }
      } catch (IOException e) {
        if (socket.isClosed()) {
          return;
        }
      }
    }
  }

  private Message answer(Message query) {
    var answer = new Message(query.getHeader().getID());
    answer.getHeader().setFlag(Flags.QR);
    answer.addRecord(query.getQuestion(), Section.QUESTION);
    String name = query.getQuestion().getName().toString(true);
    asked.add(name);
    Supplier<List<Record>> zone = zones.get(name);
    int type = query.getQuestion().getType();
    if (code != Rcode.NOERROR || zone == null) {
      answer.getHeader().setRcode(code != Rcode.NOERROR ? code : Rcode.NXDOMAIN);
    } else {
      boolean wanted = type == Type.A || type == Type.AAAA;
      for (Record record : wanted ? zone.get() : List.<Record>of()) {
        if (record.getType() == type || record.getType() == Type.CNAME) {
          answer.addRecord(record, Section.ANSWER);
        }
      }
    }
    return answer;
  }

  @Override
  public void close() {
    socket.close();
  }
}
