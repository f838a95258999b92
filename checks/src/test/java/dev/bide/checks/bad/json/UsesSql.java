package dev.bide.checks.bad.json;

import java.sql.Connection;
import javax.sql.DataSource;
import org.jspecify.annotations.NullMarked;

@NullMarked
public interface UsesSql {
  void use(Connection connection);

  void use(DataSource source);
}
