package dev.cove.edge.e2b.file;

import dev.cove.edge.e2b.Envd;
import dev.cove.edge.e2b.rpc.Rpc.Call;
import dev.cove.edge.e2b.rpc.RpcCode;
import dev.cove.edge.e2b.rpc.RpcRefusal;
import dev.cove.guest.FileInfo;
import dev.cove.guest.Guest;

/** A path that a call is about, and the files that it is among. */
record Place(String path, Person person, UserFiles files) {
  static Place of(Envd envd, Call call, String path) {
    Guest guest = envd.guest(call.sandbox());
    Person person = Person.of(call.exchange(), call.sandbox(), guest);
    return new Place(person.resolve(path), person, new UserFiles(guest, person));
  }

  /** Another one of the same call. */
  Place at(String other) {
    return new Place(person.resolve(other), person, files);
  }

  Entry entry() {
    return entry(requirePresent());
  }

  Entry entry(FileInfo info) {
    return Entry.of(info, files, person.accounts());
  }

  FileInfo requirePresent() {
    return files
        .find(path, false)
        .orElseThrow(() ->
            new RpcRefusal(
                RpcCode.NOT_FOUND, "file not found: path '%s' does not exist".formatted(path)));
  }

  void requireFolder() {
    FileInfo info =
        files
            .find(path, true)
            .orElseThrow(() ->
                new RpcRefusal(
                    RpcCode.NOT_FOUND,
                    "directory not found: path '%s' does not exist".formatted(path)));
    if (info.type() != FileInfo.Type.FOLDER) {
      throw new RpcRefusal(RpcCode.INVALID_ARGUMENT, "path is not a directory: " + path);
    }
  }
}
