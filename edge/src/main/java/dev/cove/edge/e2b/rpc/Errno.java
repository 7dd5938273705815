package dev.cove.edge.e2b.rpc;

/** Linux's numbers for what can go wrong with a file. */
public final class Errno {
  public static final int EPERM = 1;
  public static final int ENOENT = 2;
  public static final int EACCES = 13;
  public static final int EEXIST = 17;
  public static final int ENOTDIR = 20;
  public static final int EISDIR = 21;
  public static final int EINVAL = 22;
  public static final int ENOSPC = 28;
  public static final int ENAMETOOLONG = 36;
  public static final int ELOOP = 40;
  public static final int EDQUOT = 122;

  private Errno() {}
}
