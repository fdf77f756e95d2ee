package dev.prpf.eval.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.base.error.ExitCode;
import dev.prpf.base.run.StopSignal;
import dev.prpf.data.DeviceContext;
import dev.prpf.data.Sample;
import dev.prpf.data.Trajectory;
import dev.prpf.data.io.FunctionPoolFile;
import dev.prpf.data.io.SampleWriter;
import dev.prpf.data.io.ScenarioCatalogReader;
import dev.prpf.eval.efficiency.RunResources;
import dev.prpf.mpp.Perceiver;
import dev.prpf.mpp.Perception;
import dev.prpf.par.cascade.Cascade;
import dev.prpf.par.cascade.Prediction;
import dev.prpf.par.cascade.Reasoner;
import dev.prpf.par.generate.Generation.FinishReason;
import dev.prpf.par.response.ResponseParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CascadeRunTest {
    private static final int SAMPLES = 3 * CascadeRun.CHUNK + 5;

    @TempDir
    private Path directory;

    /** Answers every third sample in another way; asks for a stop, or fails, at a call of one's choice. */
    private static final class CountingReasoner implements Reasoner {
        private int queries;
        private int calls;
        private int failAtCall = -1;
        private @Nullable StopSignal stop;

        @Override
        public String id() {
            return "counting";
        }

        @Override
        public List<Reasoning> reason(List<Request> requests, Runnable answered) {
            if (++calls == failAtCall) {
                throw new IllegalStateException("killed");
            }
            if (stop != null) {
                stop.request();
            }
            queries += requests.size();
            return requests.stream().map(CountingReasoner::answer).toList();
        }

        private static Reasoning answer(Request request) {
            String text =
                    switch (Math.floorMod(request.sample().id().hashCode(), 3)) {
                        case 0 -> "无推荐";
                        case 1 -> "?";
                        default ->
                            "<recommendations>[{\"instruction\":\"\",\"function\":[{\"name\":\"f\",\"parameters\":{}}]}]"
                                    + "</recommendations>";
                    };
            return new Reasoning(
                    text, ResponseParser.parse(text), text.equals("?") ? FinishReason.LENGTH : FinishReason.END_TOKEN);
        }

        @Override
        public void close() {}
    }

    private Path data(String... extraIds) {
        Path file = directory.resolve("data.json");
        List<Sample> records = new ArrayList<>();
        for (int i = 0; i < SAMPLES; i++) {
            records.add(sample("s" + i));
        }
        for (String id : extraIds) {
            records.add(sample(id));
        }
        SampleWriter.write(file, records.iterator());
        return file;
    }

    private static Sample sample(String id) {
        return new Sample(
                id, 1, null, null, new DeviceContext("a", "b", "c"), Trajectory.ofTexts(List.of("x")), List.of());
    }

    private static RunSummary summary(Path out) {
        return RunSummary.of(out, new RunSummary.Took(1, RunResources.NONE, null, null));
    }

    private CascadeRun run(Reasoner reasoner, Path data, Path out, Shard shard) {
        Cascade cascade = new Cascade(
                null,
                reasoner,
                FunctionPoolFile.shipped(),
                ScenarioCatalogReader.shipped(),
                new Cascade.Settings(false, false, 5, 0));
        return new CascadeRun(cascade, data, out, new CascadeRun.Part(shard, 1), RunMeterTest.meter(null));
    }

    private CascadeRun run(Reasoner reasoner, Path data, Path out) {
        return run(reasoner, data, out, Shard.WHOLE);
    }

    @Test
    void everySampleGetsItsPredictionAndTheSummaryCounts() {
        CountingReasoner reasoner = new CountingReasoner();
        try (StopSignal stop = StopSignal.install()) {
            Path out = directory.resolve("p.jsonl");
            run(reasoner, data(), out).run(stop);
            RunSummary summary = summary(out);
            RunSummary.Counts counts = summary.counts();
            assertThat(counts.samples()).isEqualTo(SAMPLES).isEqualTo(reasoner.queries);
            assertThat(counts.silentByGate()).isZero();
            assertThat(counts.reasoned()).isEqualTo(SAMPLES);
            assertThat(counts.acting()).isBetween(1, SAMPLES - 1);
            assertThat(counts.malformed()).isBetween(1, SAMPLES - counts.acting() - 1);
            assertThat(counts.cut()).isEqualTo(summary.cutIds().size()).isEqualTo(counts.malformed());
            assertThat(summary.lines().get(1))
                    .contains(
                            counts.cut() + " responses were truncated",
                            summary.cutIds().get(0));
        }
    }

    @Test
    void shardsTogetherAreTheWholeByteByByteOnceSorted() throws IOException {
        Path data = data();
        Path whole = directory.resolve("whole.jsonl");
        List<String> lines = new ArrayList<>();
        try (StopSignal stop = StopSignal.install()) {
            run(new CountingReasoner(), data, whole).run(stop);
            for (int i = 1; i <= 4; i++) {
                Path out = directory.resolve("shard" + i + ".jsonl");
                run(new CountingReasoner(), data, out, new Shard(i, 4)).run(stop);
                lines.addAll(Files.readAllLines(out));
            }
        }
        assertThat(lines.stream().sorted())
                .containsExactlyElementsOf(
                        Files.readAllLines(whole).stream().sorted().toList());
    }

    @Test
    void aShardGoesOnAndRefusesPredictionsOfAnother() {
        Path data = data();
        Path out = directory.resolve("p.jsonl");
        try (StopSignal stop = StopSignal.install()) {
            CountingReasoner killed = new CountingReasoner();
            killed.failAtCall = 2;
            assertThatThrownBy(() -> run(killed, data, out, new Shard(1, 2)).run(stop))
                    .hasMessage("killed");
            run(new CountingReasoner(), data, out, new Shard(1, 2)).run(stop);
            assertThat(Prediction.read(out)).allMatch(prediction -> new Shard(1, 2).has(prediction.id()));
            assertThatThrownBy(() -> run(new CountingReasoner(), data, out, new Shard(2, 2))
                            .run(stop))
                    .hasMessageContaining("samples in shard 2/2: some belong to other data");
        }
    }

    @Test
    void aRunThatWasKilledGoesOnAndGivesTheSameFile() throws IOException {
        Path data = data();
        Path whole = directory.resolve("whole.jsonl");
        Path resumed = directory.resolve("resumed.jsonl");
        try (StopSignal stop = StopSignal.install()) {
            run(new CountingReasoner(), data, whole).run(stop);
            CountingReasoner failing = new CountingReasoner();
            failing.failAtCall = 3;
            assertThatThrownBy(() -> run(failing, data, resumed).run(stop)).hasMessage("killed");
            byte[] torn = Files.readAllBytes(resumed);
            Files.write(resumed, Arrays.copyOf(torn, torn.length - 10));
            CountingReasoner rest = new CountingReasoner();
            run(rest, data, resumed).run(stop);
            assertThat(rest.queries).isEqualTo(SAMPLES - 3 * CascadeRun.CHUNK + 1);
        }
        assertThat(Files.readAllBytes(resumed)).isEqualTo(Files.readAllBytes(whole));
    }

    /** Cannot be understood where the id ends in 7; dies at a call of one's choice. */
    private static final class MumblingPerceiver implements Perceiver {
        private int calls;
        private int failAtCall = -1;

        @Override
        public String id() {
            return "mumbling";
        }

        @Override
        public List<Perception> perceive(List<Sample> samples) {
            return samples.stream().map(sample -> new Perception(0, Map.of())).toList();
        }

        @Override
        public List<Costed> perceiveCosted(List<Sample> samples) {
            if (++calls == failAtCall) {
                throw new IllegalStateException("killed");
            }
            return samples.stream()
                    .map(sample -> new Costed(
                            new Perception(0, Map.of()), null, sample.id().endsWith("7") ? "no JSON" : null))
                    .toList();
        }

        @Override
        public void close() {}
    }

    private CascadeRun gated(MumblingPerceiver perceiver, Path data, Path out) {
        CascadeRun run = run(new CountingReasoner(), data, out);
        Cascade all = run.cascade();
        Cascade gated = new Cascade(
                perceiver, all.reasoner(), all.pool(), all.catalog(), new Cascade.Settings(true, true, 5, 0.5));
        return new CascadeRun(gated, data, out, run.part(), run.meter());
    }

    @Test
    void thePerceiversUnusableAnswersAreCountedOverAllProcesses() {
        Path data = data();
        Path out = directory.resolve("p.jsonl");
        try (StopSignal stop = StopSignal.install()) {
            MumblingPerceiver killed = new MumblingPerceiver();
            killed.failAtCall = 2;
            assertThatThrownBy(() -> gated(killed, data, out).run(stop)).hasMessage("killed");
            gated(new MumblingPerceiver(), data, out).run(stop);
        }
        int unusable =
                (int) IntStream.range(0, SAMPLES).filter(i -> i % 10 == 7).count();
        RunSummary summary = summary(out);
        assertThat(summary.counts()).isEqualTo(new RunSummary.Counts(SAMPLES, SAMPLES, 0, 0, unusable, unusable, 0));
        assertThat(summary.lines().get(0)).contains(SAMPLES + " silent by the gate, 0 reasoned about (0 act, 0 malf");
        assertThat(summary.lines().get(1))
                .startsWith(unusable + " answers of the perceiver could not be used")
                .endsWith("they count as malformed, not as silent");
    }

    @Test
    void chunksGrowWhileTheyAreShortAndShrinkWhenTheyAreLong() {
        assertThat(CascadeRun.next(16, 1)).isEqualTo(32);
        assertThat(CascadeRun.next(200, 1)).isEqualTo(256);
        assertThat(CascadeRun.next(400, 1)).as("a server's rounds").isEqualTo(400);
        assertThat(CascadeRun.next(64, 20)).isEqualTo(64);
        assertThat(CascadeRun.next(64, 60)).isEqualTo(32);
        assertThat(CascadeRun.next(16, 600)).isEqualTo(16);
    }

    @Test
    void aSignalStopsItAfterAChunkWith75() {
        try (StopSignal stop = StopSignal.install()) {
            CountingReasoner reasoner = new CountingReasoner();
            reasoner.stop = stop;
            assertThatThrownBy(() ->
                            run(reasoner, data(), directory.resolve("p.jsonl")).run(stop))
                    .extracting(e -> ExitCode.of(e).status())
                    .isEqualTo(75);
            assertThat(reasoner.queries).isEqualTo(CascadeRun.CHUNK);
        }
    }

    @Test
    void idsThatStandTwiceAndPredictionsOfOtherDataAreRefused() throws IOException {
        try (StopSignal stop = StopSignal.install()) {
            Path out = directory.resolve("p.jsonl");
            assertThatThrownBy(
                            () -> run(new CountingReasoner(), data("s3"), out).run(stop))
                    .hasMessageContaining("s3 is a duplicate");
            Files.writeString(out, "{\"id\":\"other\",\"route\":\"silent\",\"calls\":[]}\n");
            assertThatThrownBy(() -> run(new CountingReasoner(), data(), out).run(stop))
                    .hasMessageContaining("other data");
        }
    }
}
