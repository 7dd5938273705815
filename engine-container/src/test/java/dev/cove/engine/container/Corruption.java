package dev.cove.engine.container;

import dev.cove.model.LayerId;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Random;

/** Ways in which the files of a layer come to harm; some of them change no byte. */
enum Corruption {
  FLIPPED_BIT {
    @Override
    void strike(Pair files, Random random) throws IOException {
      try (var image = files.openImage()) {
        flip(image, random.nextLong(image.length()), random);
      }
    }
  },
  FLIPPED_BIT_IN_DATA {
    @Override
    void strike(Pair files, Random random) throws IOException {
      try (var image = files.openImage()) {
        flip(image, dataPosition(files, random), random);
      }
    }
  },
  ZEROED_RANGE {
    @Override
    void strike(Pair files, Random random) throws IOException {
      write(files, random, new byte[1 + random.nextInt(100_000)]);
    }
  },
  RANDOM_RANGE {
    @Override
    void strike(Pair files, Random random) throws IOException {
      byte[] noise = new byte[1 + random.nextInt(10_000)];
      random.nextBytes(noise);
      write(files, random, noise);
    }
  },
  TRUNCATED {
    @Override
    void strike(Pair files, Random random) throws IOException {
      try (var image = files.openImage()) {
        image.setLength(random.nextLong(image.length()));
      }
    }
  },
  EXTENDED {
    @Override
    void strike(Pair files, Random random) throws IOException {
      try (var image = files.openImage()) {
        image.setLength(image.length() + 1 + random.nextLong(random.nextBoolean() ? 9 : 1L << 40));
      }
    }
  },
  SWAPPED_BLOCKS {
    @Override
    void strike(Pair files, Random random) throws IOException {
      byte[] one = new byte[BLOCK];
      byte[] other = new byte[BLOCK];
      try (var image = files.openImage()) {
        long first = dataPosition(files, random) / BLOCK * BLOCK;
        long second = random.nextLong(image.length() / BLOCK) * BLOCK;
        image.seek(first);
        image.readFully(one);
        image.seek(second);
        image.readFully(other);
        image.seek(first);
        image.write(other);
        image.seek(second);
        image.write(one);
      }
    }
  },
  LOST_IMAGE {
    @Override
    void strike(Pair files, Random random) throws IOException {
      Files.delete(files.image());
    }
  },
  EMPTY_IMAGE {
    @Override
    void strike(Pair files, Random random) throws IOException {
      Files.write(files.image(), new byte[0]);
    }
  },
  FLIPPED_BIT_IN_RECORD {
    @Override
    void strike(Pair files, Random random) throws IOException {
      byte[] record = Files.readAllBytes(files.record());
      record[random.nextInt(record.length)] ^= (byte) (1 << random.nextInt(8));
      Files.write(files.record(), record);
    }
  },
  TRUNCATED_RECORD {
    @Override
    void strike(Pair files, Random random) throws IOException {
      byte[] record = Files.readAllBytes(files.record());
      Files.write(files.record(), Arrays.copyOf(record, random.nextInt(record.length)));
    }
  },
  EXTENDED_RECORD {
    @Override
    void strike(Pair files, Random random) throws IOException {
      byte[] more = new byte[1 + random.nextInt(100)];
      random.nextBytes(more);
      Files.write(files.record(), more, StandardOpenOption.APPEND);
    }
  },
  LOST_RECORD {
    @Override
    void strike(Pair files, Random random) throws IOException {
      Files.delete(files.record());
    }
  },
  IMAGE_OF_ANOTHER {
    @Override
    void strike(Pair files, Random random) throws IOException {
      swap(files.image(), files.otherImage());
    }
  },
  RECORD_OF_ANOTHER {
    @Override
    void strike(Pair files, Random random) throws IOException {
      swap(files.record(), files.otherRecord());
    }
  },
  ALL_OF_ANOTHER {
    @Override
    void strike(Pair files, Random random) throws IOException {
      swap(files.image(), files.otherImage());
      swap(files.record(), files.otherRecord());
    }
  };

  private static final int BLOCK = 4096;

  /** The files of two layers. */
  record Pair(Path folder, LayerId layer, LayerId other) {
    Path image() {
      return folder.resolve(layer.value());
    }

    Path record() {
      return LayerRecord.file(folder, layer);
    }

    Path otherImage() {
      return folder.resolve(other.value());
    }

    Path otherRecord() {
      return LayerRecord.file(folder, other);
    }

    RandomAccessFile openImage() throws IOException {
      return new RandomAccessFile(image().toFile(), "rw");
    }
  }

  abstract void strike(Pair files, Random random) throws IOException;

  private static long dataPosition(Pair files, Random random) throws IOException {
    var extents = SparseFile.extents(files.image());
    var extent = extents.get(random.nextInt(extents.size()));
    return random.nextLong(extent.start(), extent.end());
  }

  private static void write(Pair files, Random random, byte[] bytes) throws IOException {
    try (var image = files.openImage()) {
      long start = random.nextBoolean() ? dataPosition(files, random) : random.nextLong(1 << 24);
      image.seek(Math.max(0, Math.min(start, image.length() - bytes.length)));
      image.write(bytes);
    }
  }

  private static void flip(RandomAccessFile image, long position, Random random)
      throws IOException {
    image.seek(position);
    int old = image.read();
    image.seek(position);
    image.write(old ^ (1 << random.nextInt(8)));
  }

  private static void swap(Path one, Path other) throws IOException {
    Path aside = one.resolveSibling("aside");
    Files.move(one, aside);
    Files.move(other, one);
    Files.move(aside, other, StandardCopyOption.ATOMIC_MOVE);
  }
}
