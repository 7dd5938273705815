package dev.cove.egress.http;

/** A request that must not go out, and what its sender is told. */
public final class RefusedRequestException extends Exception {
  private final transient Page page;

  public RefusedRequestException(Page page) {
    this.page = page;
  }

  public Page page() {
    return page;
  }
}
