package dev.cove.engine.microvm;

import dev.cove.engine.container.Machines;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * How QEMU is started: first to write a machine down that has just begun, then, as often as wanted,
 * to go on with it. Both must have the same devices in the same order; disks are added by those
 * that go on.
 */
final class QemuCommand {
  /** Where the spawner's {@code machine.c} puts things. */
  private static final int LINK = 3;

  private static final int CONTROL = 4;
  private static final int WIRE = 5;
  private static final int MEMORY = 6;
  static final int STATE = 7;
  private static final int MONITOR = 8;
  private static final int FIRST_DISK = 9;

  /** For code that was translated; beyond it QEMU begins anew, which is slow. */
  private static final int TRANSLATED_MB = 32;

  private final List<String> words = new ArrayList<>();

  private QemuCommand(Path program) {
    words.add(program.toString());
  }

  /**
   * A machine that begins, and shares its memory with a file.
   *
   * @param sockets a folder for {@code control}, {@code link} and {@code monitor}
   */
  static List<String> begin(
      Path program, Shape shape, Path kernel, Path initialDisk, Path memory, Path sockets) {
    var command = new QemuCommand(program);
    command.machine(shape, memory.toString(), true);
    command.ports("path=%s/link".formatted(sockets), "path=%s/control".formatted(sockets));
    command.add("-netdev", "tap,id=wire,ifname=tap0,script=no,downscript=no,vhost=off");
    command.wire();
    command.add("-kernel", kernel.toString());
    command.add("-initrd", initialDisk.toString());
    command.add("-append", "quiet panic=-1 random.trust_cpu=off");
    command.add("-qmp", "unix:%s/monitor,server=on,wait=off".formatted(sockets));
    return List.copyOf(command.words);
  }

  /** One that goes on, from descriptors that it is given. */
  static List<String> goOn(Path program, Shape shape, List<Machines.Disk> disks) {
    var command = new QemuCommand(program);
    command.machine(shape, "/proc/self/fd/" + MEMORY, false);
    command.ports("fd=" + LINK, "fd=" + CONTROL);
    command.add("-netdev", "tap,id=wire,fd=%d,vhost=off".formatted(WIRE));
    command.wire();
    for (int i = 0; i < disks.size(); i++) {
      command.disk(i, disks.get(i).readOnly());
    }
    command.add(
        "-sandbox", "on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny");
    command.add("-chardev", "socket,id=monitor,fd=%d,server=on,wait=off".formatted(MONITOR));
    command.add("-mon", "chardev=monitor,mode=control");
    command.add("-incoming", "defer");
    return List.copyOf(command.words);
  }

  /**
   * What machines that can go on with the same memory have in common.
   *
   * @param hardware whether the processor virtualises
   */
  record Shape(int memoryMb, int processors, boolean hardware) {}

  private void add(String... more) {
    words.addAll(List.of(more));
  }

  private void machine(Shape shape, String memory, boolean shared) {
    add("-machine", "q35,memory-backend=memory,usb=off,smbus=off,sata=off,vmport=off,hpet=off");
    add("-accel", shape.hardware() ? "kvm" : "tcg,tb-size=" + TRANSLATED_MB);
    // Debian's programs, and most that others build, ask for no more than this.
    add("-cpu", shape.hardware() ? "host" : "Nehalem");
    add("-m", shape.memoryMb() + "M", "-smp", Integer.toString(shape.processors()));
    add(
        "-object",
        "memory-backend-file,id=memory,size=%dM,mem-path=%s,share=%s"
            .formatted(shape.memoryMb(), memory, shared ? "on" : "off"));
    add("-nodefaults", "-no-user-config", "-display", "none", "-no-reboot");
  }

  private void ports(String link, String control) {
    add("-device", "virtio-serial-pci,id=ports,max_ports=4");
    add("-chardev", "socket,id=link,%s,server=on,wait=off".formatted(link));
    add("-device", "virtserialport,bus=ports.0,chardev=link,name=cove.link");
    add("-chardev", "socket,id=control,%s,server=on,wait=off".formatted(control));
    add("-device", "virtserialport,bus=ports.0,chardev=control,name=cove.control");
    add("-device", "virtio-scsi-pci,id=disks");
  }

  private void wire() {
    add("-device", "virtio-net-pci,netdev=wire,mac=02:63:6f:76:65:01,romfile=");
  }

  private void disk(int number, boolean readOnly) {
    int descriptor = FIRST_DISK + number;
    add("-add-fd", "fd=%d,set=%d".formatted(descriptor, descriptor));
    add(
        "-blockdev",
        "driver=raw,node-name=disk%d,read-only=%s,discard=unmap,file.driver=file,file.filename=/dev/fdset/%d,file.locking=off"
            .formatted(number, readOnly ? "on" : "off", descriptor));
    add("-device", "scsi-hd,drive=disk%d,bus=disks.0,scsi-id=%d".formatted(number, number));
  }
}
