package dev.bide.bench.frame;

import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.DELETE_ON_CLOSE;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** How long the disk takes to have something for good. */
public final class Disk {
  private static final int BYTES = 4096;
  private static final int TIMES = 300;

  private Disk() {}

  /** Appends 4 KB to a file in {@code folder} and syncs it, {@value #TIMES} times; returns milliseconds. */
  public static Figures syncMillis(Path folder) throws IOException {
    List<Double> millis = new ArrayList<>();
    ByteBuffer block = ByteBuffer.allocateDirect(BYTES);
    try (FileChannel file = FileChannel.open(folder.resolve("sync"), CREATE_NEW, WRITE, DELETE_ON_CLOSE)) {
      for (int i = 0; i < TIMES; i++) {
        long begun = System.nanoTime();
        file.write(block.rewind());
        file.force(true);
        millis.add((System.nanoTime() - begun) / 1e6);
      }
    }
    return Figures.of(millis);
  }

  /** Returns the figures in words. */
  public static String words(Figures syncMillis) {
    return String.format(Locale.ROOT, "p50 %.2f ms, p99 %.2f ms", syncMillis.median(), syncMillis.percentile(99));
  }
}
