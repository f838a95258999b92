package dev.bide.jdbc;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.Test;

class JsonArrayTest {
  @Test
  void numbersReadBackAsTheyWere() throws SQLException {
    List<Long> numbers = List.of(1L, -5L, Long.MAX_VALUE, Long.MIN_VALUE);
    assertEquals("[1,-5,9223372036854775807,-9223372036854775808]", JsonArray.ofNumbers(numbers));
    assertEquals(numbers, readBack(JsonArray.ofNumbers(numbers), row -> row.getLong(1)));
    assertEquals("[]", JsonArray.ofNumbers(List.of()));
  }

  @Test
  void textsReadBackAsTheyWere() throws SQLException {
    List<String> texts = List.of("", "order-42", "\"quoted\" \\ back", "line\nfeed\ttab \u0001", "付款 \ud83d\ude00",
        "123", "null");
    assertEquals(texts, readBack(JsonArray.ofTexts(texts), row -> row.getString(1)));
    assertEquals("[]", JsonArray.ofTexts(List.of()));
  }

  private static <T> List<T> readBack(String json, Session.Row<T> row) throws SQLException {
    try (Connection connection = DriverManager.getConnection("jdbc:sqlite::memory:")) {
      return new Session(connection).rows("SELECT value FROM json_each(?)", row, json);
    }
  }
}
