package dev.bide.checks.bad;

import java.security.SecureRandom;
import java.time.Clock;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.Calendar;
import java.util.Date;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.Timer;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.NullMarked;

/** Each method touches one real clock, thread or source of randomness. */
@NullMarked
public interface Impure {
  /** So does its constructor. */
  final class Subclass extends Thread {}

  static long nanos() {
    return System.nanoTime();
  }

  static LongSupplier nanosByReference() {
    return System::nanoTime;
  }

  static long millis() {
    return System.currentTimeMillis();
  }

  static Instant instant() {
    return Instant.now();
  }

  static Supplier<Instant> instantByReference() {
    return Instant::now;
  }

  static LocalDate localDate(ZoneId zone) {
    return LocalDate.now(zone);
  }

  static LocalDateTime localDateTime(ZoneId zone) {
    return LocalDateTime.now(zone);
  }

  static ZonedDateTime zonedDateTime(ZoneId zone) {
    return ZonedDateTime.now(zone);
  }

  static Clock clock() {
    return Clock.systemUTC();
  }

  static Clock tickingClock(ZoneId zone) {
    return Clock.tickMillis(zone);
  }

  static Date date() {
    return new Date();
  }

  static Calendar calendar() {
    return Calendar.getInstance();
  }

  static Thread thread(Runnable work) {
    return new Thread(work);
  }

  static void sleep() throws InterruptedException {
    Thread.sleep(1);
  }

  static void sleepInUnits() throws InterruptedException {
    TimeUnit.MILLISECONDS.sleep(1);
  }

  static Executor executors() {
    return Executors.newCachedThreadPool();
  }

  static Executor pool() {
    return new ThreadPoolExecutor(1, 1, 1, TimeUnit.SECONDS, new LinkedBlockingQueue<>());
  }

  static Executor scheduledPool() {
    return new ScheduledThreadPoolExecutor(1);
  }

  static Executor forkJoinPool() {
    return new ForkJoinPool();
  }

  static Executor commonPool() {
    return ForkJoinPool.commonPool();
  }

  static CompletableFuture<Void> async(Runnable work) {
    return CompletableFuture.runAsync(work);
  }

  static CompletableFuture<Void> asyncAfter(CompletableFuture<String> first) {
    return first.thenAcceptAsync(value -> {});
  }

  static CompletableFuture<String> timeout(CompletableFuture<String> future) {
    return future.orTimeout(1, TimeUnit.SECONDS);
  }

  static Timer timer() {
    return new Timer();
  }

  static Random random() {
    return new Random();
  }

  static Supplier<Random> randomByReference() {
    return Random::new;
  }

  static SplittableRandom splittableRandom() {
    return new SplittableRandom();
  }

  static Random secureRandom() {
    return new SecureRandom();
  }

  static int threadLocalRandom() {
    return ThreadLocalRandom.current().nextInt();
  }

  static RandomGenerator generator() {
    return RandomGenerator.getDefault();
  }

  static double mathRandom() {
    return Math.random();
  }

  static UUID uuid() {
    return UUID.randomUUID();
  }
}
