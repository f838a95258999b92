package dev.bide.jdbc;

import java.sql.SQLException;

/** Carries an {@link SQLException} through code that declares none. */
final class SqlFailure extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final SQLException failure;

  SqlFailure(SQLException failure) {
    super(failure);
    this.failure = failure;
  }

  SQLException failure() {
    return failure;
  }
}
