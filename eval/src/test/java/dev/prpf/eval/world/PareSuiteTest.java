package dev.prpf.eval.world;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.prpf.base.error.PrpfException.UnavailableException;
import dev.prpf.base.statistics.Interval;
import dev.prpf.eval.suite.DataFolder;
import dev.prpf.eval.suite.Suite;
import dev.prpf.eval.suite.SuiteResult;
import dev.prpf.eval.world.EpisodeMetrics.Mode;
import dev.prpf.eval.world.PareSuite.PareRow;
import dev.prpf.eval.world.PareSuite.Published;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

class PareSuiteTest {
    @TempDir
    private Path folder;

    @Command(name = "suite")
    private static final class Options {
        @Mixin
        private PareSuite.PlayOptions play;
    }

    private SuiteResult score(String... arguments) {
        Options options = new Options();
        new CommandLine(options).setCaseInsensitiveEnumValuesAllowed(true).parseArgs(arguments);
        return new PareSuite().score(new Suite.SuiteRun() {
            @Override
            public <T extends Suite.SuiteOptions> T options(Suite suite, Class<T> kind) {
                return kind.cast(options.play);
            }

            @Override
            public DataFolder data(Suite suite) {
                return DataFolder.of(suite, folder, Map.of());
            }
        });
    }

    private void copy(String name) throws IOException {
        try (InputStream scenario = Objects.requireNonNull(PareSuiteTest.class.getResourceAsStream(name))) {
            Files.copy(scenario, folder.resolve(name));
        }
    }

    /** Expects PARE's Tables 1 and 4 from the counts of scenarios and runs (arXiv 2604.00842). */
    @Test
    void publishedPercentages_followFromTheirCounts() {
        List<Published> all = Published.all();
        assertThat(all).extracting(Published::scenarios).containsOnly(143, 50);
        assertThat(all.subList(0, 7)).extracting(Published::scenarios).containsOnly(143);
        assertThat(all).hasSize(7 + 12).allSatisfy(published -> {
            PareRow row = published.row();
            assertThat(row.successAtK()).isCloseTo(published.successAtK(), within(0.05));
            assertThat(row.successEveryRun()).isCloseTo(published.successEveryRun(), within(0.05));
            assertThat(row.success().value()).isCloseTo(published.success().value(), within(0.0501));
        });
        assertThat(all.subList(7, 19))
                .extracting(Published::right)
                .containsExactly(91, 74, 70, 40, 52, 50, 52, 27, 73, 73, 89, 23);
    }

    @Test
    void acceptanceOfTables2And3_agreesWithTable1ButForGemma() {
        List<Published> first = Published.all().subList(0, 7);
        assertThat(first.subList(0, 6)).allSatisfy(row -> assertThat(row.impliedAcceptance())
                .isCloseTo(row.accepted().value(), within(1.31)));
        assertThat(first.get(6).impliedAcceptance()).isCloseTo(23.5, within(0.05));
        assertThat(PareSuite.notes(4))
                .hasSize(3)
                .contains("For Gemma 3 4B, PARE's Tables 2 and 3 give an acceptance rate of 23.5 %, but Table 1 prints"
                        + " 17.6 %.");
    }

    private static EpisodeMetrics metrics(boolean right, int proposals, int accepted, @Nullable Integer reads) {
        return new EpisodeMetrics("e", right, 10, proposals, accepted, 0, reads, 2, 0, List.of());
    }

    /** Two scenarios of two runs: the runs have 1 and 0 of 2 right, 3 and 1 of 20 turns with proposals. */
    @Test
    void aRow_hasTheStandardErrorOfItsRunsAndAnIntervalOverScenarios() {
        PareRow row = PareRow.of(
                "a",
                Mode.STRICT,
                true,
                2,
                List.of(
                        metrics(true, 2, 1, 4),
                        metrics(false, 1, 1, 2),
                        metrics(false, 1, 0, 0),
                        metrics(false, 0, 0, 0)));
        assertThat(row.successAtK()).isEqualTo(50);
        assertThat(row.successEveryRun()).isZero();
        assertThat(row.success().value()).isEqualTo(25);
        assertThat(row.success().sem()).isCloseTo(25, within(1e-9));
        assertThat(row.success().ci()).isEqualTo(new Interval(0, 50));
        assertThat(row.proposals().value()).isEqualTo(10);
        assertThat(row.proposals().sem()).isCloseTo(5, within(1e-9));
        assertThat(row.accepted().value()).isEqualTo(50);
        assertThat(row.reads().value()).isEqualTo(1.5);
        assertThat(row.cells()).contains("25.0 ± 25.0 [0.0, 50.0]", "2.00");
    }

    @Test
    void countsThatDoNotExist_areNullAndNotZero() {
        PareRow row = PareRow.of("a", Mode.PARE, false, 1, List.of(metrics(true, 0, 0, null)));
        assertThat(row.accepted()).isEqualTo(new PareRow.Figure(null, null, null));
        assertThat(row.reads().value()).isNull();
        assertThat(row.success().sem()).isNull();
    }

    @Test
    void scenarios_arePlayedByEachAssistantAndScoredInBothModes() throws IOException {
        copy("taxi.yaml");
        copy("train.yaml");
        Path train = folder.resolve("train.yaml");
        String text = Files.readString(train).replace("app: taxi}", "app: taxi.yaml}");
        Files.writeString(train, text);
        Files.writeString(folder.resolve("again.yaml"), text.replace("scenario: train", "scenario: again"));
        SuiteResult result = score("--agent=expected,silent", "--runs=2");
        assertThat(result.primary().n()).isEqualTo(2);
        assertThat(result.primary().rows())
                .extracting(row -> row.cells().subList(0, 3))
                .containsExactly(
                        List.of("expected", "pare", "4"),
                        List.of("expected", "strict", "4"),
                        List.of("silent", "pare", "4"),
                        List.of("silent", "strict", "4"));
        assertThat(((PareRow) result.primary().rows().get(1)).success().value()).isEqualTo(100);
        assertThat(((PareRow) result.primary().rows().get(3)).successAtK()).isZero();
        assertThat(result.text())
                .contains("No row of ours is comparable", "published, PARE Table 1 (n = 143)", "Gemma 3 4B");
    }

    @Test
    void zeroRuns_areRefused() throws IOException {
        copy("taxi.yaml");
        copy("train.yaml");
        Path train = folder.resolve("train.yaml");
        Files.writeString(train, Files.readString(train).replace("app: taxi}", "app: taxi.yaml}"));
        assertThatThrownBy(() -> score("--runs=0")).hasMessage("--runs = 0, must be at least 1");
    }

    @Test
    void aFolderWithoutScenarios_leavesWith69AndNamesTheImport() {
        assertThatThrownBy(this::score)
                .isInstanceOf(UnavailableException.class)
                .hasMessageContaining(
                        folder + " holds no scenario (.yaml); write scenarios with `prpf eval world import");
    }
}
