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
import dev.prpf.par.cascade.Cascade;
import dev.prpf.par.cascade.Reasoner;
import dev.prpf.par.generate.FinishReason;
import dev.prpf.par.response.ResponseParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
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
            return new Reasoning(text, ResponseParser.parse(text), FinishReason.END_TOKEN);
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

    private CascadeRun run(Reasoner reasoner, Path data, Path out) {
        Cascade cascade = new Cascade(
                null,
                reasoner,
                FunctionPoolFile.shipped(),
                ScenarioCatalogReader.shipped(),
                new Cascade.Settings(false, false, 5, 0));
        return new CascadeRun(cascade, data, out, 1);
    }

    @Test
    void everySampleGetsItsPredictionAndTheSummaryCounts() {
        CountingReasoner reasoner = new CountingReasoner();
        try (StopSignal stop = StopSignal.install()) {
            CascadeRun.Summary summary =
                    run(reasoner, data(), directory.resolve("p.jsonl")).run(stop, () -> null);
            assertThat(summary.samples()).isEqualTo(SAMPLES).isEqualTo(reasoner.queries);
            assertThat(summary.silentByGate()).isZero();
            assertThat(summary.reasoned()).isEqualTo(SAMPLES);
            assertThat(summary.acting()).isBetween(1, SAMPLES - 1);
            assertThat(summary.malformed()).isBetween(1, SAMPLES - summary.acting() - 1);
        }
    }

    @Test
    void aRunThatWasKilledGoesOnAndGivesTheSameFile() throws IOException {
        Path data = data();
        Path whole = directory.resolve("whole.jsonl");
        Path resumed = directory.resolve("resumed.jsonl");
        try (StopSignal stop = StopSignal.install()) {
            run(new CountingReasoner(), data, whole).run(stop, () -> null);
            CountingReasoner failing = new CountingReasoner();
            failing.failAtCall = 3;
            assertThatThrownBy(() -> run(failing, data, resumed).run(stop, () -> null))
                    .hasMessage("killed");
            byte[] torn = Files.readAllBytes(resumed);
            Files.write(resumed, Arrays.copyOf(torn, torn.length - 10));
            CountingReasoner rest = new CountingReasoner();
            run(rest, data, resumed).run(stop, () -> null);
            assertThat(rest.queries).isEqualTo(SAMPLES - 3 * CascadeRun.CHUNK + 1);
        }
        assertThat(Files.readAllBytes(resumed)).isEqualTo(Files.readAllBytes(whole));
    }

    @Test
    void aSignalStopsItAfterAChunkWith75() {
        try (StopSignal stop = StopSignal.install()) {
            CountingReasoner reasoner = new CountingReasoner();
            reasoner.stop = stop;
            assertThatThrownBy(() ->
                            run(reasoner, data(), directory.resolve("p.jsonl")).run(stop, () -> null))
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
                            () -> run(new CountingReasoner(), data("s3"), out).run(stop, () -> null))
                    .hasMessageContaining("s3 stands twice");
            Files.writeString(out, "{\"id\":\"other\",\"route\":\"silent\",\"calls\":[]}\n");
            assertThatThrownBy(() -> run(new CountingReasoner(), data(), out).run(stop, () -> null))
                    .hasMessageContaining("other data");
        }
    }
}
