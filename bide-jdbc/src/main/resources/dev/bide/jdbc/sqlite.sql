-- The tables of Bide in SQLite, layout version 1. Every statement ends with a semicolon at the end of a line.
--
-- Moments are milliseconds since the epoch by the store's clock, durations are milliseconds. States: 0 waiting,
-- 1 in process, 2 paused, 3 completed, 4 failed, 5 cancelled.

-- One row. Each transaction that writes updates it first, so that it holds the file alone from the start.
CREATE TABLE bide_meta (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  version INTEGER NOT NULL,       -- of these tables
  readable_from INTEGER NOT NULL, -- the oldest version of the code that may use them
  seq INTEGER NOT NULL,           -- the last number given to a life of a task
  now INTEGER NOT NULL,           -- the latest moment at which anything was written
  counted BLOB NOT NULL           -- what has been counted and is not in bide_counts yet
) STRICT;

INSERT INTO bide_meta (one, version, readable_from, seq, now, counted) VALUES (1, 1, 1, 0, 0, x'');

CREATE TABLE bide_queues (
  number INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  shards INTEGER NOT NULL,
  max_attempts INTEGER NOT NULL,
  lease_ms INTEGER NOT NULL,
  retention_ms INTEGER NOT NULL,
  dead_retention_ms INTEGER NOT NULL,
  paused_from INTEGER,            -- the latest pause: when it began, null if there was none
  paused_until INTEGER            -- and when it ended, null if it has not
) STRICT;

-- Live tasks. The payload comes last, so that reading the rest of a row never walks through it.
CREATE TABLE bide_tasks (
  seq INTEGER PRIMARY KEY,
  queue INTEGER NOT NULL,
  slot INTEGER NOT NULL,
  shard INTEGER NOT NULL,
  lane INTEGER NOT NULL,
  state INTEGER NOT NULL,
  next_at INTEGER,                -- when anyone must look at it again; null while paused
  stopped_at INTEGER,             -- when it was paused, if it keeps what was left to wait; else null
  due_at INTEGER NOT NULL,
  ready_at INTEGER NOT NULL,
  buffer_ms INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  claimed_at INTEGER NOT NULL,
  token INTEGER NOT NULL,
  attempt INTEGER NOT NULL,
  claims INTEGER NOT NULL,
  lapses INTEGER NOT NULL,
  id TEXT NOT NULL,
  owner TEXT,
  cancel_by TEXT,
  zone TEXT,
  rule TEXT,
  attempts TEXT NOT NULL,
  tags TEXT NOT NULL,             -- a line each
  payload BLOB NOT NULL
) STRICT;

CREATE UNIQUE INDEX bide_tasks_by_id ON bide_tasks (queue, id);

-- Its entries end with seq, the row id. Only a query that says next_at IS NOT NULL or compares next_at plainly may use it.
CREATE INDEX bide_tasks_by_moment ON bide_tasks (queue, lane, shard, next_at) WHERE next_at IS NOT NULL;

CREATE INDEX bide_tasks_to_retry ON bide_tasks (queue, next_at) WHERE state = 0 AND attempt > 0;

CREATE INDEX bide_tasks_paused ON bide_tasks (queue) WHERE state = 2;

-- The live tasks that have tags. Those without are in none of the tables of tags.
CREATE TABLE bide_tasks_tags (
  queue INTEGER NOT NULL,
  tag TEXT NOT NULL,
  seq INTEGER NOT NULL,
  PRIMARY KEY (queue, tag, seq)
) STRICT, WITHOUT ROWID;

-- Completed and cancelled tasks, and failed ones that have been revived, in the order in which they ended.
CREATE TABLE bide_finished (
  number INTEGER PRIMARY KEY,
  seq INTEGER NOT NULL,
  queue INTEGER NOT NULL,
  slot INTEGER NOT NULL,
  state INTEGER NOT NULL,
  due_at INTEGER NOT NULL,
  ready_at INTEGER NOT NULL,
  buffer_ms INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  ended_at INTEGER NOT NULL,
  claimed_at INTEGER NOT NULL,
  token INTEGER NOT NULL,
  attempt INTEGER NOT NULL,
  claims INTEGER NOT NULL,
  lapses INTEGER NOT NULL,
  id TEXT NOT NULL,
  cancel_by TEXT,
  zone TEXT,
  rule TEXT,
  outcome TEXT,
  attempts TEXT NOT NULL,
  tags TEXT NOT NULL,
  payload BLOB NOT NULL
) STRICT;

CREATE INDEX bide_finished_by_id ON bide_finished (queue, id, seq DESC);

CREATE INDEX bide_finished_by_end ON bide_finished (queue, state, ended_at, seq);

CREATE TABLE bide_finished_tags (
  queue INTEGER NOT NULL,
  tag TEXT NOT NULL,
  ended_at INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  PRIMARY KEY (queue, tag, ended_at, seq)
) STRICT, WITHOUT ROWID;

-- Failed tasks, the dead letters, in the order in which they ended.
CREATE TABLE bide_failed (
  number INTEGER PRIMARY KEY,
  seq INTEGER NOT NULL,
  queue INTEGER NOT NULL,
  slot INTEGER NOT NULL,
  state INTEGER NOT NULL,
  due_at INTEGER NOT NULL,
  ready_at INTEGER NOT NULL,
  buffer_ms INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  ended_at INTEGER NOT NULL,
  claimed_at INTEGER NOT NULL,
  token INTEGER NOT NULL,
  attempt INTEGER NOT NULL,
  claims INTEGER NOT NULL,
  lapses INTEGER NOT NULL,
  id TEXT NOT NULL,
  cancel_by TEXT,
  zone TEXT,
  rule TEXT,
  outcome TEXT,
  attempts TEXT NOT NULL,
  tags TEXT NOT NULL,
  payload BLOB NOT NULL
) STRICT;

CREATE INDEX bide_failed_by_id ON bide_failed (queue, id, seq DESC);

CREATE INDEX bide_failed_by_end ON bide_failed (queue, state, ended_at, seq);

CREATE TABLE bide_failed_tags (
  queue INTEGER NOT NULL,
  tag TEXT NOT NULL,
  ended_at INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  PRIMARY KEY (queue, tag, ended_at, seq)
) STRICT, WITHOUT ROWID;

-- The counters of each queue, many in a row: keys of one part have all but their last 8 bits in common. Together with
-- what bide_meta holds they are right at the end of every transaction.
CREATE TABLE bide_counts (
  queue INTEGER NOT NULL,
  part INTEGER NOT NULL,
  counted BLOB NOT NULL,
  PRIMARY KEY (queue, part)
) STRICT, WITHOUT ROWID;

-- The last call of each stream and its answers, for a minute after its last use.
CREATE TABLE bide_streams (
  node TEXT NOT NULL,
  stream TEXT NOT NULL,
  number INTEGER NOT NULL,
  used_at INTEGER NOT NULL,
  answers BLOB NOT NULL,
  PRIMARY KEY (node, stream)
) STRICT;
