package dev.cove.control.build;

import dev.cove.node.debian.DebianBootstrap;
import dev.cove.node.image.Credentials;
import dev.cove.node.image.ImageReference;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/** What a template is to be made of. */
public sealed interface BuildPlan {
  /** An image of a registry. */
  record FromRegistry(ImageReference image, Optional<Credentials> credentials)
      implements BuildPlan {}

  /** An image in a file. */
  record FromArchive(Upload file) implements BuildPlan {}

  /** What a sandbox had written at some moment. */
  record FromCheckpoint(String checkpoint) implements BuildPlan {}

  /** Debian, from the machine's package sources. */
  record Debian(DebianBootstrap.Wish wish, Furnishing furnishing) implements BuildPlan {}

  /**
   * The stages of a Dockerfile, or of a list of steps; the last one is the template.
   *
   * @param arguments what the caller says about ARG
   * @param context the files that COPY takes from
   * @param credentials for the registries that images come from
   * @param afresh from that line on, steps are carried out also where it is known what they give
   */
  record Stages(
      Dockerfile dockerfile,
      Map<String, String> arguments,
      Optional<BuildContext> context,
      Optional<Credentials> credentials,
      OptionalInt afresh)
      implements BuildPlan {}
}
