package dev.cove.egress.name;

import dev.cove.egress.limit.RateLimit;
import dev.cove.model.network.DomainName;
import dev.cove.model.network.InsideAddresses;
import dev.cove.model.network.Verdict.Outcome;
import java.io.IOException;
import java.net.InetAddress;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.xbill.DNS.ARecord;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Flags;
import org.xbill.DNS.Header;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.OPTRecord;
import org.xbill.DNS.Opcode;
import org.xbill.DNS.PTRRecord;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.ReverseMap;
import org.xbill.DNS.Section;
import org.xbill.DNS.Type;

/**
 * Answers the DNS questions of one sandbox. Every name has just one address, of the kind that
 * stands for names; whatever else is asked of a name it has not. So nobody inside learns of
 * addresses that he could reach past his name, nor of keys to hide a name from the gateway with.
 */
public final class NameServer {
  private static final Logger LOG = LoggerFactory.getLogger(NameServer.class);

  private static final int MAX_QUERY = 4_096;
  private static final int DATAGRAM = 1_232;
  private static final int LASTING_SECONDS = 60;
  private static final int PASSING_SECONDS = 2;

  private final NameTable names;
  private final Resolver resolver;
  private final RateLimit limit;
  private final Function<DomainName, Outcome> best;
  private final Predicate<DomainName> peers;
  private final Runnable overLimit;
  private final LongAdder asked = new LongAdder();
  private final LongAdder refused = new LongAdder();

  /**
   * @param best the most that a host of this name could be granted
   * @param peers whether a name is that of another sandbox, which nobody outside is asked for
   * @param overLimit is told of each question too many
   */
  public NameServer(
      NameTable names,
      Resolver resolver,
      RateLimit limit,
      Function<DomainName, Outcome> best,
      Predicate<DomainName> peers,
      Runnable overLimit) {
    this.names = names;
    this.resolver = resolver;
    this.limit = limit;
    this.best = best;
    this.peers = peers;
    this.overLimit = overLimit;
  }

  public long asked() {
    return asked.sum();
  }

  /** How many were over the limit, or for names that may not be reached. */
  public long refused() {
    return refused.sum();
  }

  /** Nothing for what does not deserve an answer. */
  public Optional<byte[]> answer(byte[] query) throws InterruptedException {
    if (query.length < Header.LENGTH || query.length > MAX_QUERY || (query[2] & 0x80) != 0) {
      return Optional.empty();
    }
    asked.increment();
    if (!limit.take()) {
      refused.increment();
      overLimit.run();
      return Optional.of(bare(query, Rcode.REFUSED));
    }
    Message message;
    try {
      message = new Message(query);
    } catch (IOException | RuntimeException e) {
      // The codec throws either at bytes that make no message.
      return Optional.of(bare(query, Rcode.FORMERR));
    }
    try {
      return Optional.of(answer(message).toWire(DATAGRAM));
    } catch (IOException | RuntimeException e) {
      LOG.warn("A DNS question failed: {}", e.getClass().getName());
      return Optional.of(bare(query, Rcode.SERVFAIL));
    }
  }

  /** The header alone, for a question that is not to be read or repeated. */
  private static byte[] bare(byte[] query, int code) {
    var header = new Header(((query[0] & 0xFF) << 8) | (query[1] & 0xFF));
    header.setFlag(Flags.QR);
    header.setOpcode((query[2] >> 3) & 0xF);
    header.setRcode(code);
    return header.toWire();
  }

  private Message answer(Message query) throws IOException, InterruptedException {
    Message answer = new Message(query.getHeader().getID());
    Header header = answer.getHeader();
    header.setFlag(Flags.QR);
    header.setFlag(Flags.RA);
    header.setOpcode(query.getHeader().getOpcode());
    if (query.getHeader().getFlag(Flags.RD)) {
      header.setFlag(Flags.RD);
    }
    if (query.getHeader().getOpcode() != Opcode.QUERY) {
      header.setRcode(Rcode.NOTIMP);
      return answer;
    }
    if (query.getHeader().getCount(Section.QUESTION) != 1) {
      header.setRcode(Rcode.FORMERR);
      return answer;
    }
    answer.addRecord(query.getQuestion(), Section.QUESTION);
    OPTRecord extension = query.getOPT();
    if (extension != null) {
      boolean known = extension.getVersion() == 0;
      answer.addRecord(
          new OPTRecord(DATAGRAM, known ? 0 : Rcode.BADVERS >> 4, 0), Section.ADDITIONAL);
      if (!known) {
        return answer;
      }
    }
    header.setRcode(fill(answer, query.getQuestion()));
    return answer;
  }

  private int fill(Message answer, Record question) throws IOException, InterruptedException {
    if (question.getDClass() != DClass.IN) {
      return Rcode.REFUSED;
    }
    return switch (question.getType()) {
      case Type.A -> address(answer, question.getName());
      case Type.PTR -> pointer(answer, question.getName());
      case Type.ANY, Type.AXFR, Type.IXFR, Type.MAILA, Type.MAILB -> Rcode.REFUSED;
      default -> Rcode.NOERROR;
    };
  }

  private int address(Message answer, Name asked) throws IOException, InterruptedException {
    DomainName name;
    try {
      name = DomainName.of(asked.toString(true));
    } catch (IllegalArgumentException e) {
      return Rcode.NXDOMAIN;
    }
    return switch (best.apply(name)) {
      case DENIED -> {
        refused.increment();
        yield passing(answer, asked, name);
      }
      case ASK -> passing(answer, asked, name);
      case ALLOWED, BY_REQUEST -> lookedUp(answer, asked, name);
    };
  }

  private int passing(Message answer, Name asked, DomainName name) {
    add(answer, asked, names.passing(name), PASSING_SECONDS);
    return Rcode.NOERROR;
  }

  private int lookedUp(Message answer, Name asked, DomainName name)
      throws IOException, InterruptedException {
    if (peers.test(name)) {
      add(answer, asked, names.lasting(name), LASTING_SECONDS);
      return Rcode.NOERROR;
    }
    return switch (resolver.resolve(name)) {
      case Resolution.Found _ -> {
        add(answer, asked, names.lasting(name), LASTING_SECONDS);
        yield Rcode.NOERROR;
      }
      case Resolution.Missing _ -> Rcode.NXDOMAIN;
      case Resolution.Empty _ -> Rcode.NOERROR;
      case Resolution.Failed _ -> Rcode.SERVFAIL;
    };
  }

  private static void add(Message answer, Name asked, InetAddress address, int seconds) {
    answer.addRecord(new ARecord(asked, DClass.IN, seconds, address), Section.ANSWER);
  }

  private int pointer(Message answer, Name asked) throws IOException {
    InetAddress address;
    try {
      address = ReverseMap.fromName(asked);
    } catch (IOException | RuntimeException e) {
      return Rcode.NXDOMAIN;
    }
    if (!InsideAddresses.NAMES.contains(address)) {
      return Rcode.NXDOMAIN;
    }
    Optional<DomainName> name = names.nameOf(address);
    if (name.isEmpty()) {
      return Rcode.NXDOMAIN;
    }
    Name target = Name.fromString(name.get() + ".");
    answer.addRecord(new PTRRecord(asked, DClass.IN, LASTING_SECONDS, target), Section.ANSWER);
    return Rcode.NOERROR;
  }
}
