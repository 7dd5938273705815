package dev.cove.egress.http;

import java.io.IOException;

/** Changes bytes on their way, and holds back as few of them as it can. */
public interface Filter {
  /** What of it, and of what was held back, can go on. */
  void take(byte[] bytes, int offset, int length, Sink to) throws IOException;

  /** What was held back to the last. */
  void end(Sink to) throws IOException;

  /** First this one, then another. */
  default Filter then(Filter next) {
    Filter first = this;
    return new Filter() {
      @Override
      public void take(byte[] bytes, int offset, int length, Sink to) throws IOException {
        first.take(bytes, offset, length, (b, o, l) -> next.take(b, o, l, to));
      }

      @Override
      public void end(Sink to) throws IOException {
        first.end((b, o, l) -> next.take(b, o, l, to));
        next.end(to);
      }
    };
  }
}
