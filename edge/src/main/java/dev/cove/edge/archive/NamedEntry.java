package dev.cove.edge.archive;

import org.apache.commons.compress.archivers.tar.TarArchiveEntry;

/**
 * An entry whose name and link may be long.
 *
 * <p>What does not fit into the fixed part of a header stands whole in an extended one. The library
 * cuts it to fit by one character at a time, and encodes it anew each time: a sandbox full of long
 * names would keep the server busy for minutes. So it gets what fits, and the whole where it asks.
 */
final class NamedEntry extends TarArchiveEntry {
  private static final int FITS = 99;

  private final String name;
  private String link = "";

  NamedEntry(String name, byte type) {
    super(cut(name), type);
    this.name = name;
  }

  private static String cut(String text) {
    if (text.length() <= FITS) {
      return text;
    }
    int end = Character.isHighSurrogate(text.charAt(FITS - 1)) ? FITS - 1 : FITS;
    return text.substring(0, end);
  }

  @Override
  public String getName() {
    return name;
  }

  @Override
  public void setLinkName(String whole) {
    link = whole;
    super.setLinkName(cut(whole));
  }

  @Override
  public String getLinkName() {
    return link;
  }
}
