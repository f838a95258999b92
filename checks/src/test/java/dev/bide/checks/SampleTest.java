package dev.bide.checks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A check of documents is worth what it finds: samples of each kind, good and bad. */
class SampleTest {
  @TempDir
  Path scratch;

  @Test
  void statementsRunInAFolderOfTheirOwn() throws Exception {
    check("""
        # Page

        ```java
        import java.util.concurrent.atomic.AtomicLong;

        record Order(String id) {}

        var count = new AtomicLong(ofSeconds(3).toSeconds());
        if (count.get() != 3) throw new AssertionError();
        if (Files.exists(Path.of("pom.xml"))) throw new AssertionError();
        Files.writeString(Path.of("out.txt"), new Order("1").id());
        ```
        """);
  }

  @Test
  void anErrorIsFoundAtItsLine() {
    assertFails("page.md:4: ", """
        # Page

        ```java
        int x = "text";
        ```
        """);
  }

  @Test
  void anExceptionIsFoundAtItsLine() {
    assertFails("page.md:6)", """
        # Page

        ```java
        import java.util.function.Supplier;

        throw new IllegalStateException();
        ```
        """);
  }

  @Test
  void anExceptionOfAnotherThreadIsFound() {
    assertFails("IllegalStateException", """
        ```java
        Thread thread = new Thread(() -> {
          throw new IllegalStateException();
        });
        thread.start();
        thread.join();
        ```
        """);
  }

  @Test
  void aSampleThatDoesNotEndIsFound() {
    assertFails("still ran", """
        ```java
        new Thread(() -> {
          while (true) Thread.onSpinWait();
        }).start();
        ```
        """, Duration.ofSeconds(2));
  }

  @Test
  void setupComesBeforeItsBlockOnly() throws Exception {
    check("""
        <!-- sample: setup
        class Orders {
          int paid = 1;
        }
        var orders = new Orders();
        -->
        ```java
        if (orders.paid != 1) throw new AssertionError();
        ```
        """);
    assertFails("orders", """
        <!-- sample: setup
        var orders = 1;
        -->
        ```java
        System.out.println(orders);
        ```

        ```java
        System.out.println(orders);
        ```
        """);
  }

  @Test
  void aFragmentIsCompiledOnly() throws Exception {
    check("""
        <!-- sample: fragment -->
        ```java
        throw new IllegalStateException();
        ```

        <!-- sample: fragment -->
        ```java
        @Override
        public String toString() {
          return "member";
        }
        ```
        """);
    assertFails("page.md:3: ", """
        <!-- sample: fragment -->
        ```java
        throw new NoSuchThing();
        ```
        """);
  }

  @Test
  void aTypeIsCompiledAsAFile() throws Exception {
    check("""
        ```java
        import java.util.concurrent.Callable;

        public record Order(String id) implements Callable<String> {
          public String call() {
            return id;
          }
        }

        class Orders {}
        ```
        """);
    assertFails("page.md:2: ", """
        ```java
        class Orders extends NoSuchThing {}
        ```
        """);
  }

  @Test
  void otherLanguagesAreLeftAlone() throws Exception {
    assertEquals(List.of(), samples("""
        ```javascript
        not java
        ```

        ```
        nor this
        ```
        """));
  }

  @Test
  void aBlockWithoutEndAndAnUnknownKindAreRefused() {
    assertThrows(IllegalArgumentException.class, () -> samples("```java\nint x;\n"));
    assertThrows(IllegalArgumentException.class, () -> samples("<!-- sample: skip -->\n"));
  }

  private List<Sample> samples(String text) throws Exception {
    Path page = scratch.resolve("page.md");
    Files.writeString(page, text);
    return Sample.of(page);
  }

  private void check(String text) throws Exception {
    List<Sample> samples = samples(text);
    assertFalse(samples.isEmpty());
    for (Sample sample : samples) new SampleRunner(scratch, Duration.ofSeconds(60)).check(sample);
  }

  private void assertFails(String part, String text) {
    assertFails(part, text, Duration.ofSeconds(60));
  }

  private void assertFails(String part, String text, Duration limit) {
    AssertionError failure = assertThrows(AssertionError.class, () -> {
      for (Sample sample : samples(text)) new SampleRunner(scratch, limit).check(sample);
    });
    assertTrue(failure.toString().contains(part), failure::toString);
  }
}
