package dev.cove.egress.name;

import dev.cove.model.network.DomainName;
import java.net.InetSocketAddress;

/** Looks names up in the world. */
public interface Resolver extends AutoCloseable {
  /** Answers within five seconds, whatever happens. */
  Resolution resolve(DomainName name) throws InterruptedException;

  @Override
  void close();

  /** As every program on this machine does it. */
  static Resolver ofTheSystem() {
    return new SystemResolver();
  }

  /** By asking one DNS server that asks others. */
  static Resolver at(InetSocketAddress server) {
    return new DnsResolver(server);
  }
}
