package dev.prpf.par.rollout;

import static dev.prpf.par.rollout.Rollouts.kept;
import static dev.prpf.par.rollout.Rollouts.summary;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.par.rollout.GrpoSet.GrpoSetSettings;
import dev.prpf.par.rollout.RolloutGroup.GroupSummary;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class GrpoSetTest {
    private static GrpoSetSettings settings(
            int size, double silentShare, boolean repeats, double testShare, long seed) {
        return new GrpoSetSettings(
                0.1, 0.1, 0.9, 0.5, 0.3, 0.1, 0.7, 0.5, 0.25, 2, 2, size, silentShare, repeats, testShare, seed);
    }

    private static List<GroupSummary> both(List<GroupSummary> first, List<GroupSummary> second) {
        List<GroupSummary> all = new ArrayList<>(first);
        all.addAll(second);
        return all;
    }

    private static long silentOf(List<String> ids) {
        return ids.stream().filter(id -> id.startsWith("s")).count();
    }

    /** The standard deviation of eq. 16 is exclusive, its rate inclusive. */
    @Test
    void keepsTheGroupsThatDisagree() {
        GrpoSet set = GrpoSet.build(
                List.of(
                        summary("a-flat", true, 0.1, 0.5),
                        summary("a-kept", true, 0.1001, 0.1),
                        summary("a-easy", true, 2, 0.95),
                        summary("a-hard", true, 2, 0.09),
                        summary("s-kept", false, 2, 0.9),
                        summary("s-flat", false, 0, 1)),
                settings(100, 0, false, 0, 1));
        assertThat(set.train()).containsExactlyInAnyOrder("a-kept", "s-kept");
        assertThat(set.counts()).isEqualTo(new GrpoSet.Counts(6, 2, 1, 1, 2, 1, 0, 0, 0, 0, 0, 2, 1, 0, 0));
    }

    @Test
    void silentShareIsReachedByOmittingInterventions() {
        GrpoSet set = GrpoSet.build(both(kept("a", true, 90), kept("s", false, 9)), settings(5000, 0.3, false, 0, 1));
        assertThat(silentOf(set.train())).isEqualTo(9);
        assertThat(set.train()).as("21 interventions for 9 silent ones: 30 %").hasSize(30);
        assertThat(set.counts().leftOut()).isEqualTo(69);
        assertThat(set.counts().repeated()).isZero();
    }

    /** Warnings while a set of 90 interventions and some silent groups is built. */
    private static List<String> warnings(int silent) {
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        log.start();
        ch.qos.logback.classic.Logger logger = (ch.qos.logback.classic.Logger) LoggerFactory.getLogger(GrpoSet.class);
        logger.addAppender(log);
        try {
            GrpoSet.build(both(kept("a", true, 90), kept("s", false, silent)), settings(5000, 0.3, false, 0, 1));
        } finally {
            logger.detachAppender(log);
        }
        return log.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    }

    @Test
    void aSetThatSilentGroupsAreTooFewForSaysSo() {
        assertThat(warnings(9))
                .containsExactly(
                        "set.silent-share = 0.3: for 9 silent groups only 21 of 90 interventions are in the set; roll"
                                + " out more silent samples, or lower it");
        assertThat(warnings(30)).isEmpty();
    }

    @Test
    void silentShareIsReachedByRepeatingSilentGroups() {
        GrpoSet set = GrpoSet.build(both(kept("a", true, 90), kept("s", false, 9)), settings(100, 0.3, true, 0, 1));
        assertThat(set.train()).hasSize(100);
        assertThat(silentOf(set.train())).isEqualTo(30);
        assertThat(new HashSet<>(set.train()))
                .as("every silent one, and 70 interventions")
                .hasSize(79);
        assertThat(set.counts().repeated()).isEqualTo(21);
    }

    @Test
    void aLargerSilentShareStays() {
        GrpoSet set = GrpoSet.build(both(kept("a", true, 40), kept("s", false, 60)), settings(50, 0.3, false, 0, 1));
        assertThat(set.train()).hasSize(50);
        assertThat(silentOf(set.train())).isEqualTo(30);
    }

    @Test
    void interventionsInTheDisagreementRegionAreKeptFirst() {
        List<GroupSummary> groups = new ArrayList<>(kept("a", true, 80));
        for (int i = 0; i < 20; i++) {
            groups.add(summary("high" + i, true, 1.5, 0.5));
        }
        GrpoSet set = GrpoSet.build(groups, settings(25, 0, false, 0, 3));
        assertThat(set.train())
                .hasSize(25)
                .filteredOn(id -> id.startsWith("high"))
                .hasSize(20);
        assertThat(set.counts().preferred()).isEqualTo(20);
    }

    /** 200 of 1,200 are drawn; with weight 2 a group is drawn about twice as often as with weight 1. */
    @Test
    void emphasisedGroupsAreDrawnMoreOften() {
        List<GroupSummary> groups = new ArrayList<>();
        for (int i = 0; i < 600; i++) {
            groups.add(new GroupSummary("plain" + i, true, 0.2, 0.5, 0, 0));
            groups.add(new GroupSummary("weak" + i, true, 0.2, 0.5, 0.25, 0));
        }
        GrpoSet set = GrpoSet.build(groups, settings(200, 0, false, 0, 5));
        long weak = set.train().stream().filter(id -> id.startsWith("weak")).count();
        assertThat(weak / 200.0).isCloseTo(0.65, within(0.09));
        assertThat(set.counts().argumentWeak()).isEqualTo(600);

        GrpoSet again = GrpoSet.build(groups.subList(0, 20), settings(3000, 0, true, 0, 5));
        long weakAgain =
                again.train().stream().filter(id -> id.startsWith("weak")).count();
        assertThat(weakAgain / 3000.0).as("with repeats").isCloseTo(2 / 3.0, within(0.04));
    }

    @Test
    void splitIsStratifiedAndCopiesStayTogether() {
        GrpoSet set =
                GrpoSet.build(both(kept("a", true, 140), kept("s", false, 60)), settings(400, 0.3, true, 0.05, 1));
        assertThat(set.test()).hasSize(10);
        assertThat(silentOf(set.test())).isEqualTo(3);
        assertThat(set.train()).hasSize(390).doesNotContainAnyElementsOf(set.test());
        assertThat(set.counts().train()).isEqualTo(390);
        assertThat(set.counts().trainSilent()).isEqualTo((int) silentOf(set.train()));
        assertThat(set.counts().testSilent()).isEqualTo(3);
        assertThat(set.counts().repeated()).isEqualTo(200);
    }

    @Test
    void theSameGroupsInAnyOrderGiveTheSameSet() {
        List<GroupSummary> groups = both(kept("a", true, 50), kept("s", false, 30));
        GrpoSetSettings settings = settings(40, 0.3, false, 0.1, 11);
        GrpoSet set = GrpoSet.build(groups, settings);
        List<GroupSummary> shuffled = new ArrayList<>(groups);
        Collections.shuffle(shuffled, new Random(1));
        assertThat(GrpoSet.build(shuffled, settings)).isEqualTo(set);
        assertThat(GrpoSet.build(groups, settings(40, 0.3, false, 0.1, 12)).train())
                .as("another seed")
                .isNotEqualTo(set.train());
    }

    /** Random sizes and shares: the set is never larger than asked, its silent share never smaller, and all counts add up. */
    @Test
    void countsAddUpForAllSizes() {
        Random random = new Random(2);
        for (int i = 0; i < 300; i++) {
            int acting = random.nextInt(60);
            int silent = 1 + random.nextInt(40);
            double share = random.nextInt(11) / 10.0;
            GrpoSetSettings settings = settings(1 + random.nextInt(80), share, random.nextBoolean(), 0.1, i);
            GrpoSet set = GrpoSet.build(both(kept("a", true, acting), kept("s", false, silent)), settings);
            GrpoSet.Counts counts = set.counts();
            int size = counts.train() + counts.test();
            int quiet = counts.trainSilent() + counts.testSilent();
            assertThat(size).isPositive().isLessThanOrEqualTo(settings.size());
            assertThat(quiet).as("share %s of %d", share, size).isGreaterThanOrEqualTo((int) Math.floor(share * size));
            assertThat(counts.leftOut() + size - counts.repeated()).isEqualTo(counts.retained());
            assertThat(set.train()).hasSize(counts.train());
            assertThat(silentOf(set.train())).isEqualTo(counts.trainSilent());
            assertThat(silentOf(set.test())).isEqualTo(counts.testSilent());
        }
    }

    @Test
    void emptySetIsReported() {
        refused(
                List.of(summary("a", true, 0.05, 0.5), summary("b", true, 2, 1)),
                "of 2 rollout groups none remains",
                "rewards of 1 have a standard deviation of at most 0.1",
                "1 more often than 0.9");
        refused(kept("a", true, 3), "silent-share = 0.3, but none of the 3 remaining groups is silent");
    }

    private static void refused(List<GroupSummary> groups, String... parts) {
        assertThatThrownBy(() -> GrpoSet.build(groups, GrpoSetSettings.PAPER))
                .isInstanceOfSatisfying(PrpfException.class, refused -> assertThat(ExitCode.of(refused))
                        .isEqualTo(ExitCode.BAD_DATA))
                .hasMessageContainingAll(parts);
    }

    @Test
    void settingsOutOfRangeAreRejected() {
        assertThatThrownBy(() -> settings(0, 0.3, false, 0.05, 1)).hasMessage("size = 0 must be at least 1");
        assertThatThrownBy(() -> settings(1, 1.1, false, 0.05, 1)).hasMessage("silent-share = 1.1 must be in [0, 1]");
        assertThatThrownBy(() -> settings(1, 0.3, false, 0.6, 1)).hasMessage("test-share = 0.6 must be in [0, 0.5]");
        assertThat(GrpoSetSettings.PAPER.size()).isEqualTo(5000);
    }
}
