package dev.cove.control.build;

import java.util.List;
import java.util.Map;

final class DockerfileParser {
  DockerfileParser(String text, Map<String, String> buildArguments) {}

  Dockerfile parse() {
    return new Dockerfile(List.of(), Map.of());
  }
}
