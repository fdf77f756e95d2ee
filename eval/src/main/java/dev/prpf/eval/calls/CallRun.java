package dev.prpf.eval.calls;

import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.files.KeyedLines;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.base.run.Progress;
import dev.prpf.base.run.StopSignal;
import dev.prpf.mpp.CandidatePool;
import dev.prpf.par.cascade.Prediction;
import dev.prpf.par.cascade.Reasoner;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/**
 * Runs a reasoner on tasks, each with its own functions. Predictions of a chunk are appended and synced together. Tasks with a
 * prediction are skipped, so that a stopped or killed run resumes.
 *
 * @param reasoner closed by the caller
 * @param chunk number of tasks per batch, at least 1
 */
public record CallRun(Reasoner reasoner, int chunk) {
    /**
     * Answers every task of a suite.
     *
     * @param out the predictions' file, which may exist
     * @return one prediction per task
     * @throws dev.prpf.base.error.PrpfException 65 for predictions of other tasks, 75 when stopped by a signal
     */
    public List<Prediction> run(List<CallTask> tasks, Path out, StopSignal stop) {
        try (KeyedLines appender = Prediction.open(out);
                Progress progress = Progress.resume("eval suite", tasks.size(), appender.size())) {
            List<CallTask> open =
                    tasks.stream().filter(task -> !appender.has(task.id())).toList();
            if (appender.size() + open.size() != tasks.size()) {
                throw new InvalidDataException(out + ": holds predictions of other tasks; name another --run-dir");
            }
            for (int from = 0; from < open.size(); from += chunk) {
                if (stop.requested()) {
                    throw StopSignal.savedIn(appender.size(), out);
                }
                answer(open.subList(from, Math.min(open.size(), from + chunk)), appender, progress);
            }
        }
        return Prediction.read(out);
    }

    private void answer(List<CallTask> tasks, KeyedLines appender, Progress progress) {
        List<Reasoner.Request> requests = tasks.stream()
                .map(task -> new Reasoner.Request(task.sample(), null, new CandidatePool(List.of(), task.functions())))
                .toList();
        List<Reasoner.Reasoning> reasonings = reasoner.reason(requests, progress::step);
        for (int i = 0; i < tasks.size(); i++) {
            Reasoner.Reasoning reasoning = reasonings.get(i);
            Prediction.reasoned(tasks.get(i).id(), null, reasoning, reasoning.cost())
                    .append(appender);
        }
        appender.flush();
    }

    /** Returns the SHA-256 of everything that reasoners see of the tasks. */
    public static String sha256(List<CallTask> tasks) {
        List<List<Object>> shown = tasks.stream()
                .map(task -> List.<Object>of(
                        task.id(),
                        task.sample().context(),
                        task.sample().trajectory().texts(),
                        task.functions()))
                .toList();
        return AtomicFiles.sha256(JsonRecords.write(shown).getBytes(StandardCharsets.UTF_8));
    }
}
