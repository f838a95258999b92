package dev.bide.tck;

import static dev.bide.tck.Mistakes.again;
import static dev.bide.tck.Mistakes.answer;
import static dev.bide.tck.Mistakes.base;
import static dev.bide.tck.Mistakes.each;
import static dev.bide.tck.Mistakes.end;
import static dev.bide.tck.Mistakes.find;
import static dev.bide.tck.Mistakes.id;
import static dev.bide.tck.Mistakes.lease;
import static dev.bide.tck.Mistakes.limit;
import static dev.bide.tck.Mistakes.onExisting;
import static dev.bide.tck.Mistakes.prune;
import static dev.bide.tck.Mistakes.queues;
import static dev.bide.tck.Mistakes.renewed;
import static dev.bide.tck.Mistakes.retention;
import static dev.bide.tck.Mistakes.says;
import static dev.bide.tck.Mistakes.settings;
import static dev.bide.tck.Mistakes.shards;
import static dev.bide.tck.Mistakes.sorted;
import static dev.bide.tck.Mistakes.token;
import static dev.bide.tck.Mistakes.verdict;
import static dev.bide.tck.SightMistakes.counts;
import static dev.bide.tck.SightMistakes.list;
import static dev.bide.tck.SightMistakes.pageOf;
import static dev.bide.tck.SightMistakes.reversed;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectNestedMethod;

import dev.bide.memory.MemoryFixture;
import dev.bide.spi.Claimed;
import dev.bide.spi.End;
import dev.bide.spi.Renewed;
import dev.bide.spi.Settled;
import dev.bide.spi.Stamp;
import dev.bide.task.Answer;
import dev.bide.task.Due;
import dev.bide.task.OnExisting;
import dev.bide.task.TaskPage;
import java.text.Normalizer;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/** The contract finds what a store gets wrong: each mistake makes the test fail that speaks of it. */
class TaskStoreContractTest {
  private static Supplier<StoreFixture> next = MemoryFixture::new;

  /** Run by the launcher only. */
  static final class UnderTest extends TaskStoreContract {
    @Override
    protected StoreFixture newFixture() {
      return next.get();
    }
  }

  /** A wrong store, and the test that must notice. */
  record Mistake(String mistake, Supplier<Wrong> store, Class<?> group, String test) {
    @Override
    public String toString() {
      return mistake;
    }
  }

  @ParameterizedTest
  @MethodSource({"scheduling", "changing", "claiming", "settling", "suspects", "repeating", "racing", "keeping",
      "looking", "realTime"})
  void isNoticed(Mistake mistake) {
    next = () -> mistake.store.get().fixture();
    TestExecutionSummary summary = run(mistake.group, mistake.test);
    assertEquals(1, summary.getTestsFailedCount(), () -> mistake.test + " failed for a store that: " + mistake);
    Throwable failure = summary.getFailures().get(0).getException();
    assertTrue(failure instanceof AssertionError || failure instanceof IllegalArgumentException, failure::toString);
  }

  private static TestExecutionSummary run(Class<?> group, String test) {
    LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
        .selectors(selectNestedMethod(List.of(UnderTest.class), group, test)).build();
    SummaryGeneratingListener listener = new SummaryGeneratingListener();
    LauncherFactory.create().execute(request, listener);
    TestExecutionSummary summary = listener.getSummary();
    assertEquals(1, summary.getTestsFoundCount(), () -> "there is one test " + test + " in " + group.getSimpleName());
    return summary;
  }

  static Stream<Mistake> scheduling() {
    Class<?> group = TaskStoreContract.Scheduling.class;
    return Stream.of(
        new Mistake("is one millisecond early", () -> Wrong.due(Mistakes::early), group,
            "itIsHandedOutAtItsTimeAndNotOneMillisecondBefore"),
        new Mistake("is one millisecond late", () -> Wrong.due(Mistakes::late), group,
            "itIsHandedOutAtItsTimeAndNotOneMillisecondBefore"),
        new Mistake("forgets the buffer", () -> Wrong.due(Mistakes::withoutBuffer), group,
            "aBufferDelaysTheTaskAndNotItsDueTime"),
        new Mistake("rounds to no tier", () -> Wrong.due(Mistakes::withoutTier), group, "aTierRoundsUpAndNeverDown"),
        new Mistake("takes a past time that was to be refused", () -> Wrong.due(Mistakes::run), group,
            "aPastInstantIsRefusedIfTheCallerSaysSo"),
        new Mistake("runs what has expired", () -> Wrong.due(Mistakes::run), group, "aTaskThatIsTooOldExpiresAtOnce"),
        new Mistake("lets nextAt be past", () -> Wrong.written(each(Mistakes::nextAtDueTime)), group,
            "aPastInstantRunsAtOnceAndKeepsItsDueTime"),
        new Mistake("begins a second life under KEEP",
            () -> Wrong.write(onExisting(OnExisting.KEEP, OnExisting.REUSE)), group,
            "aCompletedTaskStaysOrGivesWayToANewLife"),
        new Mistake("keeps what was to be replaced",
            () -> Wrong.write(onExisting(OnExisting.REPLACE, OnExisting.REUSE)), group,
            "aWaitingTaskStaysOrIsReplaced"),
        new Mistake("answers EXISTS as KEPT", () -> Wrong.written(each(answer(Answer.EXISTS, Answer.KEPT))), group,
            "aReadyTaskStaysOrIsReplaced"),
        new Mistake("forgets which state was found", () -> Wrong.written(each(Mistakes::withoutState)), group,
            "aTaskInProcessIsNeverReplaced"),
        new Mistake("answers in another order", () -> Wrong.written(Mistakes::reversed), group,
            "aBatchIsAnsweredInItsOrder"),
        new Mistake("writes a bad batch up to its fault", Mistakes.OneByOne::new, group,
            "anIdThatComesTwiceInABatchIsRefusedBeforeAnythingIsDone"),
        new Mistake("normalizes ids", () -> Wrong.write(id(id -> Normalizer.normalize(id, Normalizer.Form.NFC))), group,
            "idsAreComparedByteForByte"),
        new Mistake("trims ids", () -> Wrong.write(id(String::strip)), group, "idsAreComparedByteForByte"),
        new Mistake("cuts ids", () -> Wrong.write(id(id -> id.substring(0, Math.min(id.length(), 255)))), group,
            "anIdHasUpTo200CodePoints"),
        new Mistake("takes payloads for text", () -> Wrong.write(Mistakes::asText), group,
            "aPayloadComesBackByteForByte"));
  }

  static Stream<Mistake> changing() {
    Class<?> group = TaskStoreContract.Changing.class;
    return Stream.of(
        new Mistake("says that a task in process is cancelled",
            () -> Wrong.written(each(answer(Answer.ALREADY_CLAIMED, Answer.CANCELLED))), group,
            "aTaskInProcessIsLeftToItsOwner"),
        new Mistake("cancels nothing", () -> Wrong.write(Mistakes::notCancelled), group,
            "aCancelledTaskIsNeverHandedOut"),
        new Mistake("keeps a request to cancel to itself",
            () -> renewed(Renewed.CANCEL_REQUESTED, Renewed.RENEWED), group,
            "cancelOfATaskInProcessLeavesItsOwnerARequest"),
        new Mistake("completes what was given back", () -> Wrong.settlement(end(End.RELEASE, End.COMPLETE)), group,
            "ifTheOwnerDoesAnythingElseTheTaskIsCancelled"),
        new Mistake("extends from now", () -> Wrong.due(base(Due.Base.FROM_DUE, Due.Base.FROM_NOW)), group,
            "extendCountsFromTheOldDueTime"),
        new Mistake("moves from the old due time", () -> Wrong.due(base(Due.Base.FROM_NOW, Due.Base.FROM_DUE)), group,
            "moveCountsFromNow"),
        new Mistake("moves back what may only move on", () -> Wrong.due(Mistakes::anyTime), group,
            "onlyLaterKeepsTheLaterDueTime"));
  }

  static Stream<Mistake> claiming() {
    Class<?> group = TaskStoreContract.Claiming.class;
    return Stream.of(
        new Mistake("orders by seq alone", () -> Wrong.claims(sorted(Comparator.comparingLong(Claimed::seq))), group,
            "tasksLeaveInTheOrderOfTheirTimes"),
        new Mistake("orders by time alone", () -> Wrong.claims(Mistakes::reversed), group,
            "equalTimesLeaveInTheOrderTheyCame"),
        new Mistake("hands out one more", () -> Wrong.request(limit(limit -> limit + 1)), group,
            "noMoreAreHandedOutThanAskedFor"),
        new Mistake("takes something at a limit of 0", () -> Wrong.request(limit(limit -> Math.max(limit, 1))), group,
            "aLimitOfZeroTakesNothing"),
        new Mistake("never says that there is more", () -> Wrong.reply(reply -> says(reply, reply.next(), false)),
            group, "moreSaysThatTheLimitWasHit"),
        new Mistake("claims from every shard", () -> Wrong.request(shards(Set.of(0, 1, 2, 3))), group,
            "onlyTheRequestedShardsAreClaimed"),
        new Mistake("says never", () -> Wrong.reply(reply -> says(reply, Due.NEVER, reply.more())), group,
            "nextIsTheEarliestMomentAnythingWillBeDue"),
        new Mistake("says next one millisecond late",
            () -> Wrong.reply(reply -> says(reply, reply.next() + 1, reply.more())), group,
            "nextCountsTheEndsOfLeases"),
        new Mistake("hands out what it has just settled", Mistakes.HandsOutWhatItSettled::new, group,
            "aTaskIsNeverHandedOutByTheCallThatSettledIt"),
        new Mistake("claims before it settles", Mistakes.ClaimsFirst::new, group,
            "aClaimIsSettledEvenIfItsLeaseEndedInTheMeantime"),
        new Mistake("has leases of one length", () -> Wrong.request(lease(StoreTest.LEASE)), group,
            "theLeaseIsAsLongAsTheRequestSays"),
        new Mistake("gives one token to all claims", () -> Wrong.claims(each(claim -> token(claim, 1))), group,
            "attemptsCountUpAndTokensGrow"),
        new Mistake("keeps to itself what it has ended", () -> Wrong.reply(Mistakes::withoutEnded), group,
            "aLoweredMaximumEndsATaskThatHasHadAsManyAttempts"));
  }

  static Stream<Mistake> settling() {
    Class<?> group = TaskStoreContract.Settling.class;
    return Stream.of(
        new Mistake("settles whatever the token", Mistakes.IgnoresTokensOfSettlements::new, group,
            "aStaleOwnerIsRefusedWhateverItSays"),
        new Mistake("settles a new life by an old claim", Mistakes.IgnoresTokensOfSettlements::new, group,
            "anOldOwnerHasNoSayInANewLifeOfTheId"),
        new Mistake("renews whatever the token", Mistakes.IgnoresTokensOfRenewals::new, group,
            "aStaleOwnerIsRefusedWhateverItSays"),
        new Mistake("renews nothing", () -> renewed(Renewed.RENEWED, Renewed.LOST), group,
            "aRenewedLeaseEndsThatMuchLater"),
        new Mistake("keeps the token when a lease is lost", Mistakes.KeepsTheTokenAtALapse::new, group,
            "aLeaseThatIsFoundRunOutIsLostEvenIfNobodyTakesTheTask"),
        new Mistake("never hands out what lost its lease", () -> Wrong.request(Mistakes.suspects(0)), group,
            "aRunOutLeaseIsClaimedAgainAndNotOneMillisecondBefore"),
        new Mistake("refuses a lease that ran out unnoticed", Mistakes.EndsLeasesBeforeItSettles::new, group,
            "aLeaseThatRanOutUnnoticedIsStillGood"),
        new Mistake("counts a released attempt", () -> Wrong.settlement(end(End.RELEASE, End.RETRY)), group,
            "aReleaseGivesTheAttemptBack"),
        new Mistake("does not count a failed attempt", () -> Wrong.settlement(end(End.RETRY, End.RELEASE)), group,
            "aRetryOfTheLastAttemptFails"),
        new Mistake("retries at once", () -> Wrong.settlement(Mistakes::atOnce), group, "aRetryWaitsFromTheStoresNow"),
        new Mistake("retries what has failed for good", () -> Wrong.settlement(end(End.FAIL, End.RETRY)), group,
            "aFailedTaskIsADeadLetterWhateverAttemptsAreLeft"),
        new Mistake("allows one attempt more", () -> settings(Mistakes::moreAttempts), group,
            "leasesLostUseUpTheAttemptsAndEndTheTask"),
        new Mistake("forgets notes", () -> Wrong.settlement(Mistakes::withoutNote), group,
            "eachAttemptIsKeptWithItsNodeItsTimesAndItsEnd"));
  }

  static Stream<Mistake> suspects() {
    Class<?> group = TaskStoreContract.Suspects.class;
    return Stream.of(
        new Mistake("hands out suspects unasked", () -> Wrong.request(Mistakes.suspects(100)), group,
            "aSuspectIsHandedOutOnlyIfTheRequestAllowsIt"),
        new Mistake("hands out grave suspects unasked", () -> Wrong.request(Mistakes::grave), group,
            "aTaskThatLostTwoLeasesIsGrave"),
        new Mistake("hands out graves with others", () -> new Mistakes.HandsOutSuspects(claim -> claim), group,
            "aGraveSuspectIsTheOnlySuspectOfItsReply"),
        new Mistake("keeps to itself that suspects are left", () -> Wrong.reply(Mistakes::noSuspectsLeft), group,
            "aSuspectIsHandedOutOnlyIfTheRequestAllowsIt"),
        new Mistake("hands out suspects last", () -> Wrong.claims(Mistakes::reversed), group,
            "suspectsComeFirstAndCountAsOthersDo"),
        new Mistake("lets a killer take others along", () -> new Mistakes.HandsOutSuspects(Mistakes::unsuspected),
            group,
            "aKillerWithTwoAttemptsTakesNoOtherTaskWithIt"));
  }

  static Stream<Mistake> repeating() {
    Class<?> group = TaskStoreContract.Repeating.class;
    AtomicInteger fresh = new AtomicInteger();
    return Stream.of(
        new Mistake("does a repeated write again",
            () -> Wrong.writeStamp(stamp -> new Stamp("any", "any", fresh.incrementAndGet(), stamp.notAfter())), group,
            "aWriteSentTwiceHasItsEffectOnce"),
        new Mistake("does a smaller number",
            () -> Wrong.writeStamp(stamp -> new Stamp("any", "any" + stamp.number(), 1, stamp.notAfter())), group,
            "aSmallerNumberIsLateAndDoesNothing"),
        new Mistake("mixes up streams",
            () -> Wrong.writeStamp(stamp -> new Stamp(stamp.node(), "any", stamp.number(), stamp.notAfter())), group,
            "streamsAndNodesCountApart"),
        new Mistake("mixes up nodes",
            () -> Wrong.writeStamp(stamp -> new Stamp("any", stamp.stream(), stamp.number(), stamp.notAfter())), group,
            "streamsAndNodesCountApart"),
        new Mistake("does a write that comes late", () -> Wrong.writeStamp(stamp -> stamp.until(Node.FOREVER)), group,
            "aWriteIsDoneUntilItsSenderHasGivenUpAndNotOneMillisecondAfter"),
        new Mistake("does a write one millisecond too long",
            () -> Wrong.writeStamp(stamp -> stamp.until(stamp.notAfter() + 1)), group,
            "aWriteIsDoneUntilItsSenderHasGivenUpAndNotOneMillisecondAfter"),
        new Mistake("gives up on a write one millisecond too soon",
            () -> Wrong.writeStamp(stamp -> stamp.until(stamp.notAfter() - 1)), group,
            "aWriteIsDoneUntilItsSenderHasGivenUpAndNotOneMillisecondAfter"),
        new Mistake("forgets writes at a restart", Mistakes.ForgetsStamps::new, group,
            "aWriteIsKnownAgainAfterARestart"),
        new Mistake("forgets claims at a restart", Mistakes.ForgetsStamps::new, group,
            "aClaimIsKnownAgainAfterARestart"),
        new Mistake("hands out a claim twice under two tokens",
            () -> again(claim -> token(claim, claim.token() + 1)), group,
            "aClaimSentAgainHandsOutTheSameUnderTheSameTokens"),
        new Mistake("counts an attempt for a claim sent again", () -> again(Mistakes::nextAttempt), group,
            "aClaimSentAgainHandsOutTheSameUnderTheSameTokens"),
        new Mistake("judges a claim sent again as a new one", Mistakes.JudgesAnew::new, group,
            "aClaimSentAgainHandsOutTheSameUnderTheSameTokens"),
        new Mistake("claims for the first copy after the second", Mistakes.JudgesAnew::new, group,
            "theFirstCopyThatComesAfterTheSecondClaimsNothing"),
        new Mistake("does a claim that comes late",
            () -> Wrong.request(Mistakes.stamp(stamp -> stamp.until(Node.FOREVER))), group,
            "aClaimIsDoneUntilItsSenderHasGivenUpAndNotOneMillisecondAfter"),
        new Mistake("drops the settlements of a late call", Mistakes.DropsLateSettlements::new, group,
            "aClaimIsDoneUntilItsSenderHasGivenUpAndNotOneMillisecondAfter"),
        new Mistake("takes a repeated settlement for a stale one",
            () -> verdict(Settled.Verdict.REPEATED, Settled.Verdict.STALE), group, "aSettlementSentTwiceIsAppliedOnce"),
        new Mistake("takes a repeated settlement for a new one",
            () -> verdict(Settled.Verdict.REPEATED, Settled.Verdict.APPLIED), group,
            "aSettlementSentTwiceIsAppliedOnce"),
        new Mistake("takes a stale settlement for a repeated one",
            () -> verdict(Settled.Verdict.STALE, Settled.Verdict.REPEATED), group,
            "aSettlementAppliedAndClaimedSinceIsStale"));
  }

  static Stream<Mistake> racing() {
    Class<?> group = TaskStoreContract.Racing.class;
    return Stream.of(
        new Mistake("hands out a task to two", Mistakes.TakesTwice::new, group,
            "eachTaskIsHandedOutOnceHoweverManyThreadsAsk"),
        new Mistake("looks before it cancels", Mistakes.LooksBeforeItCancels::new, group,
            "aTaskIsEitherCancelledOrHandedOut"),
        new Mistake("looks before it creates", Mistakes.LooksBeforeItCreates::new, group,
            "oneOfTwoSchedulesOfAnIdCreatesIt"));
  }

  static Stream<Mistake> keeping() {
    Class<?> group = TaskStoreContract.Keeping.class;
    return Stream.of(
        new Mistake("loses its records at a restart", Mistakes.LosesRecords::new, group, "everyStateSurvivesARestart"),
        new Mistake("defines a queue twice", () -> queues(Mistakes::definesAgain), group, "aQueueIsDefinedOnce"),
        new Mistake("gives a queue other shards", () -> queues(Mistakes::changesShards), group,
            "aQueueIsUpdatedButKeepsItsShards"),
        new Mistake("drops one millisecond too soon", () -> settings(wanted -> retention(wanted, -1, 0)), group,
            "aFinishedTaskIsKeptForItsRetentionAndNotOneMillisecondLonger"),
        new Mistake("keeps one millisecond too long", () -> settings(wanted -> retention(wanted, 1, 0)), group,
            "aFinishedTaskIsKeptForItsRetentionAndNotOneMillisecondLonger"),
        new Mistake("drops dead letters too soon", () -> settings(wanted -> retention(wanted, 0, -1)), group,
            "aDeadLetterIsKeptForARetentionOfItsOwn"),
        new Mistake("drops more than the limit", () -> prune(limit -> limit + 1), group,
            "noMoreAreDroppedThanTheLimit"),
        new Mistake("drops nothing", () -> prune(limit -> 0), group, "anIdIsFreeAgainWhenItsLivesAreDropped"),
        new Mistake("finds in another order", () -> find(Mistakes::reversed), group, "tasksAreFoundInTheOrderAskedFor"),
        new Mistake("finds whatever the case", () -> find(each(id -> id.replace('A', 'a'))), group,
            "tasksAreFoundInTheOrderAskedFor"),
        new Mistake("answers when it is closed", () -> new Wrong() {
          @Override
          public void close() {}
        }, group, "aClosedStoreRefusesEveryCall"),
        new Mistake("lets its now go back", Mistakes.GoesBack::new, group, "nowNeverGoesBack"),
        new Mistake("lets its now go back at a restart", Mistakes.GoesBack::new, group,
            "nowDoesNotGoBackOverARestart"));
  }

  static Stream<Mistake> looking() {
    Class<?> group = TaskStoreContract.Looking.class;
    return Stream.of(
        new Mistake("skips a task between two pages", () -> list((query, cursor, page) -> cursor.isEmpty()
            ? page
            : pageOf(page, page.tasks().subList(Math.min(1, page.tasks().size()), page.tasks().size()))), group,
            "eachViewShowsTheSameWithPagesOfOne"),
        new Mistake("shows the last first", () -> list((query, cursor, page) -> pageOf(page, reversed(page.tasks()))),
            group, "liveTasksStandByTheirNextMomentAndEqualOnesAsTheyCame"),
        new Mistake("shows the first finished first",
            () -> list((query, cursor, page) -> query.view().finished() ? pageOf(page, reversed(page.tasks())) : page),
            group, "finishedTasksStandByTheirEndTheLatestFirst"),
        new Mistake("has a next page after the last",
            () -> list((query, cursor, page) -> new TaskPage(page.tasks(), Optional.of("more"), page.searched(),
                page.of())),
            group, "theLastPageHasNoNextOne"),
        new Mistake("takes any cursor", SightMistakes.TakesAnyCursor::new, group, "aCursorOfAnotherListIsRefused"),
        new Mistake("includes the end of a range", SightMistakes.IncludesTheEnd::new, group,
            "aRangeIncludesItsStartAndNotItsEnd"),
        new Mistake("forgets tags", () -> Wrong.write(SightMistakes::withoutTags), group,
            "aTagFindsLiveTasksAsTheyWereScheduled"),
        new Mistake("shows dead letters that live again", SightMistakes.ShowsRevived::new, group,
            "aRevivedTaskIsNoDeadLetterAnyMore"),
        new Mistake("sorts ids by their characters", SightMistakes.SortsByCharacters::new, group,
            "theLiveIdsComeInTheOrderOfTheirBytesPageByPage"),
        new Mistake("counts the lapsed as waiting", () -> counts(SightMistakes::lapsedAsWaiting), group,
            "eachViewIsCounted"),
        new Mistake("counts what is ready a moment too late", () -> counts(SightMistakes::readyTooLate), group,
            "countsFollowATaskThroughItsLife"),
        new Mistake("forecasts from the end of a bucket", SightMistakes.ForecastsLate::new, group,
            "theLoadIsCountedByTheHour"));
  }

  static Stream<Mistake> realTime() {
    Class<?> group = TaskStoreContract.RealTime.class;
    return Stream.of(
        new Mistake("is early", () -> Wrong.due(Mistakes::early), group,
            "aTaskIsHandedOutIfAndOnlyIfItIsDueByTheNowOfTheReply"),
        new Mistake("leaves something that is due", () -> Wrong.claims(Mistakes::withoutLast), group,
            "aTaskIsHandedOutIfAndOnlyIfItIsDueByTheNowOfTheReply"));
  }
}
