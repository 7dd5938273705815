package dev.cove.engine.container;

/** The first program of a machine, built with this module from what the spawner is made of. */
public final class MachineProgram {
  private MachineProgram() {}

  public static byte[] bytes() {
    return NativeBinary.named("cove-machine");
  }
}
