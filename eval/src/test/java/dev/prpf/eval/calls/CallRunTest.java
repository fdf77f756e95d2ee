package dev.prpf.eval.calls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.error.PrpfException.RunInterruptedException;
import dev.prpf.base.run.StopSignal;
import dev.prpf.eval.suite.DataFolder;
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
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CallRunTest {
    @TempDir
    Path folder;

    private List<CallTask> tasks;
    private Path out;

    @BeforeEach
    void readTasks() throws IOException {
        MadeTasks.bfcl(folder);
        tasks = Bfcl.SUITE.tasks(DataFolder.of(Bfcl.SUITE, folder, Map.of()));
        out = folder.resolve("predictions.jsonl");
    }

    /** Calls the first function of a task; fails at a given task. */
    private static final class FirstFunction implements Reasoner {
        private final List<String> asked = new ArrayList<>();
        private String failsAt = "";

        @Override
        public String id() {
            return "first";
        }

        @Override
        public List<Reasoning> reason(List<Request> requests, Runnable answered) {
            List<Reasoning> reasonings = new ArrayList<>();
            for (Request request : requests) {
                if (request.sample().id().equals(failsAt)) {
                    throw new IllegalStateException("killed");
                }
                asked.add(request.sample().id());
                String text = "<recommendations>[{\"instruction\":\"\",\"function\":[{\"name\":\""
                        + request.candidates().functions().get(0).name() + "\",\"parameters\":{}}]}]</recommendations>";
                reasonings.add(new Reasoning(text, ResponseParser.parse(text), FinishReason.END_TOKEN));
                answered.run();
            }
            return reasonings;
        }

        @Override
        public void close() {}
    }

    @Test
    void eachTaskIsAnsweredWithItsOwnFunctions() {
        try (StopSignal stop = StopSignal.install()) {
            List<Prediction> predictions = new CallRun(new FirstFunction(), 4).run(tasks, out, stop);

            assertThat(predictions)
                    .extracting(Prediction::id)
                    .isEqualTo(tasks.stream().map(CallTask::id).toList());
            assertThat(CallScoring.of(predictions).get("irrelevance_1")).hasValueSatisfying(calls -> assertThat(calls)
                    .singleElement()
                    .satisfies(call -> assertThat(call.name()).isEqualTo("film")));
        }
    }

    @Test
    void aRunThatWasKilledAsksForTheRestAndGivesTheSameFile() throws IOException {
        Path whole = folder.resolve("whole.jsonl");
        try (StopSignal stop = StopSignal.install()) {
            new CallRun(new FirstFunction(), 2).run(tasks, whole, stop);
            FirstFunction failing = new FirstFunction();
            failing.failsAt = "irrelevance_0";
            assertThatThrownBy(() -> new CallRun(failing, 2).run(tasks, out, stop))
                    .hasMessage("killed");
            byte[] torn = Files.readAllBytes(out);
            Files.write(out, Arrays.copyOf(torn, torn.length - 3));
            FirstFunction rest = new FirstFunction();
            new CallRun(rest, 2).run(tasks, out, stop);

            assertThat(rest.asked).containsExactly("parallel_0", "irrelevance_0", "irrelevance_1");
        }
        assertThat(out).hasSameBinaryContentAs(whole);
    }

    @Test
    void stopsAfterAChunkAndRefusesPredictionsOfOtherTasks() throws IOException {
        try (StopSignal stop = StopSignal.install()) {
            stop.request();
            assertThatThrownBy(() -> new CallRun(new FirstFunction(), 2).run(tasks, out, stop))
                    .isInstanceOf(RunInterruptedException.class);
        }
        try (StopSignal stop = StopSignal.install()) {
            Files.writeString(out, "{\"id\":\"other\",\"route\":\"silent\",\"calls\":[]}\n");
            assertThatThrownBy(() -> new CallRun(new FirstFunction(), 2).run(tasks, out, stop))
                    .isInstanceOf(InvalidDataException.class)
                    .hasMessageContaining("holds predictions of other tasks");
        }
    }

    @Test
    void theHashTellsTasksApart() {
        assertThat(CallRun.sha256(tasks)).isEqualTo(CallRun.sha256(List.copyOf(tasks)));
        assertThat(CallRun.sha256(tasks)).isNotEqualTo(CallRun.sha256(tasks.subList(1, tasks.size())));
    }
}
