package dev.cove.control.build;

/**
 * @param offset where its content begins in the context's archive
 */
record ContextEntry(TarItem item, long offset) {
  ContextEntry with(TarItem changed) {
    return new ContextEntry(changed, offset);
  }
}
