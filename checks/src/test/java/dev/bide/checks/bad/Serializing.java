package dev.bide.checks.bad;

import java.io.IOException;
import java.io.InputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.OutputStream;
import org.jspecify.annotations.NullMarked;

@NullMarked
public interface Serializing {
  static Object read(InputStream in) throws IOException, ClassNotFoundException {
    return new ObjectInputStream(in).readObject();
  }

  static void write(OutputStream out, Object value) throws IOException {
    new ObjectOutputStream(out).writeObject(value);
  }
}
