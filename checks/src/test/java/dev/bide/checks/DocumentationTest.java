package dev.bide.checks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** Every Java sample of the documents compiles and runs, and every relative link leads to a file. */
class DocumentationTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)[^)]*\\)");

  @TestFactory
  List<DynamicTest> everySampleRuns(@TempDir Path scratch) throws IOException {
    SampleRunner runner = new SampleRunner(scratch, Duration.ofSeconds(60));
    List<DynamicTest> tests = new ArrayList<>();
    for (Path page : pages())
      for (Sample sample : Sample.of(page)) tests.add(dynamicTest(sample.where(), () -> runner.check(sample)));
    return tests;
  }

  @Test
  void theReadmeHasASampleThatRuns() throws IOException {
    assertTrue(Sample.of(ROOT.resolve("README.md")).stream().anyMatch(Sample::runs));
  }

  @Test
  void theReadmesSayTheSameInTheSameOrder() throws IOException {
    assertEquals(outline(ROOT.resolve("README.md")), outline(ROOT.resolve("README.zh-CN.md")));
  }

  @Test
  void aTranslationKeepsCodeHeadingsRowsAndLinks(@TempDir Path folder) throws IOException {
    Path page = folder.resolve("page.md");
    Files.writeString(page, """
        # Bide
        [b](README.md) | a
        <!-- sample: setup
        int a;
        -->
        ```java
        a = 1;   // one
        ```
        | x | `y` |
        ## More
        see [this](a.md) and [that](b.md)
        """);
    assertEquals(List.of("#", "<!-- sample: setup", "int a;", "-->", "```java", "a = 1;", "```", "|||", "##", "a.md",
        "b.md"), outline(page));
  }

  @Test
  void relativeLinksLeadToFiles() throws IOException {
    List<String> broken = new ArrayList<>();
    for (Path page : pages()) broken.addAll(brokenLinks(page));
    assertEquals(List.of(), broken);
  }

  @Test
  void aBrokenLinkIsFound(@TempDir Path folder) throws IOException {
    Path page = folder.resolve("page.md");
    Files.writeString(page,
        "[a](page.md#x) [b](#y) [c](https://example.org/z) ![d](gone.png)\n[e](no/such.md \"title\")\n");
    assertEquals(List.of(page + ": gone.png", page + ": no/such.md"), brokenLinks(page));
  }

  /** What a translation keeps: code but for its comments, levels of headings, cells of tables, targets of links. */
  private static List<String> outline(Path page) throws IOException {
    List<String> outline = new ArrayList<>();
    boolean code = false;
    for (String line : Files.readAllLines(page)) {
      boolean fence = line.startsWith("```") || line.startsWith("<!--") || line.equals("-->");
      code ^= fence;
      if (code || fence) {
        outline.add(line.replaceFirst(" +(//|#) .*", ""));
      } else if (line.startsWith("#")) {
        outline.add(line.replaceFirst("[^#].*", ""));
      } else if (line.startsWith("|")) {
        outline.add(line.replaceAll("[^|]", ""));
      }
      if (!code)
        LINK.matcher(line).results().map(link -> link.group(1)).filter(link -> !link.startsWith("README"))
            .forEach(outline::add);
    }
    return outline;
  }

  private static List<String> brokenLinks(Path page) throws IOException {
    // Code may hold what looks like a link.
    String text = Files.readString(page).replaceAll("(?s)```.*?```|`[^`\n]*`", "");
    return LINK.matcher(text).results().map(link -> link.group(1))
        .filter(link -> !link.startsWith("#") && URI.create(link).getScheme() == null)
        .filter(link -> !Files.exists(page.resolveSibling(link.replaceFirst("#.*", ""))))
        .map(link -> page + ": " + link).toList();
  }

  private static List<Path> pages() throws IOException {
    List<Path> pages = new ArrayList<>();
    try (Stream<Path> files = Files.list(ROOT)) {
      files.filter(file -> file.getFileName().toString().matches("README.*\\.md")).forEach(pages::add);
    }
    if (Files.exists(ROOT.resolve("docs"))) {
      try (Stream<Path> files = Files.walk(ROOT.resolve("docs"))) {
        files.filter(file -> file.toString().endsWith(".md")).forEach(pages::add);
      }
    }
    return pages.stream().sorted().toList();
  }
}
