package dev.prpf.eval.calls;

import dev.prpf.base.error.InvalidDataException;
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
 * Has a reasoner answer tasks, each with its own functions. Predictions of a chunk are appended and made durable together; tasks that have one
 * are left out, so that a run that was stopped or killed goes on where it was.
 *
 * @param reasoner stays the caller's to close
 * @param chunk tasks asked together, at least 1
 */
public record CallRun(Reasoner reasoner, int chunk) {
    /**
     * Answers every task.
     *
     * @param out the predictions' file, which may exist
     * @return one prediction a task
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

    /** SHA-256 over all that reasoners are shown of these tasks. */
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
