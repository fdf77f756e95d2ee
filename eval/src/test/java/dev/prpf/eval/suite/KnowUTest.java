package dev.prpf.eval.suite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.mpp.ensemble.NestedFolds;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KnowUTest {
    private static final String FIRST = event("2026-01-01T11:12:14+08:00", "signal");
    private static final String SECOND = event("2026-01-01T14:05:12+08:00", "noise");

    @TempDir
    Path folder;

    private static String event(String time, String label) {
        return "{\"time\": \"" + time + "\", \"location\": \"home\", \"action\": \"he opened " + label
                + "\", \"label\": \"" + label + "\", \"category\": \"kind of " + label + "\"}";
    }

    private KnowU read(String user) throws IOException {
        Files.createDirectories(folder.resolve("user_logs"));
        Files.writeString(folder.resolve("user_logs/student_noise_25pct.json"), "[" + FIRST + "]");
        Files.writeString(folder.resolve("user_logs/user_noise_25pct.json"), user);
        return KnowU.read(new DataFolder(folder, KnowU.SUITE.source()));
    }

    private void assertRefused(String second, String message) {
        assertThatThrownBy(() -> read("[" + FIRST + ", " + second + "]"))
                .isInstanceOfSatisfying(
                        PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.BAD_DATA))
                .hasMessageContaining("user_noise_25pct.json at /1/")
                .hasMessageContaining(message)
                .hasMessageContaining("ZJU-REAL/KnowU-Bench at commit 0dd79895");
    }

    @Test
    void theReleasedLogsHold340EventsOfTwoPersonas() {
        KnowU logs = KnowU.read(RealData.knowU());

        assertThat(logs.points()).hasSize(340);
        assertThat(logs.points().stream().filter(DecisionPoint::helpNeeded)).hasSize(255);
        assertThat(NestedFolds.positionsByKey(logs.personas()).values())
                .extracting(java.util.List::size)
                .containsExactly(128, 212);
        assertThat(logs.folds().splits()).hasSize(2).allSatisfy(split -> assertThat(split.inner())
                .hasSize(5));
    }

    @Test
    void aPointHoldsTheLogUpToItsEventAndNothingOfAnotherPersona() throws IOException {
        KnowU logs = read("[" + FIRST + ", " + SECOND + "]");

        assertThat(logs.personas()).containsExactly("student", "user", "user");
        DecisionPoint last = logs.points().get(2);
        assertThat(last.lastTexts(9)).containsExactly("he opened signal", "he opened noise");
        assertThat(last.group()).isEqualTo("user/kind of noise");
        assertThat(last.words()).isEqualTo("he opened noise"); // neither label nor kind
        assertThat(last.helpNeeded()).isFalse();
        assertThat(logs.points().get(1).events()).hasSize(1);
    }

    @Test
    void aBadEventIsNamedWithPlaceValueAndRule() {
        assertRefused(SECOND.replace("\"label\": \"noise\"", "\"label\": \"loud\""), "/1/label: is \"loud\", must be");
        assertRefused(SECOND.replace("he opened noise", ""), "/1/action: is blank");
        assertRefused(SECOND.replace("2026-01-01T14:05:12+08:00", "noon"), "/1/time: is \"noon\", must be a time");
        assertRefused(
                SECOND.replace("T14", "T09"), "/1/time: is 2026-01-01T09:05:12+08:00, before the previous event's");
        assertRefused(SECOND.replace("\"category\"", "\"kind\""), "/1/category: is missing, must be a text");
    }

    @Test
    void aLogThatIsNoListIsRefused() {
        assertThatThrownBy(() -> read("{}")).hasMessageContaining("at /: is {}, must be a list of events");
        assertThatThrownBy(() -> read("[] x")).hasMessageContaining("is not JSON");
        assertThatThrownBy(() -> KnowU.read(new DataFolder(folder.resolve("absent"), KnowU.SUITE.source())))
                .isInstanceOfSatisfying(
                        PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.UNAVAILABLE));
    }
}
