package dev.prpf.eval.calls;

import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.files.RecordLines;
import dev.prpf.base.statistics.Bootstrap;
import dev.prpf.data.BestMatch.NameOverlap;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.FunctionSpec;
import dev.prpf.eval.calls.CallRows.CallRow;
import dev.prpf.eval.calls.CallTask.CallRule.CallError;
import dev.prpf.eval.suite.SuiteResult;
import dev.prpf.eval.suite.SuiteRow;
import dev.prpf.mpp.ensemble.TextAnalyzer;
import dev.prpf.par.cascade.Prediction;
import dev.prpf.par.response.ParResponse;
import dev.prpf.par.response.ResponseParser;
import dev.prpf.par.reward.ResponseLine;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Scores answers to a suite's tasks. */
public record CallScoring(CallSuite suite, List<CallTask> tasks) {
    private static final RecordLines<Verdict> VERDICTS = new RecordLines<>(Verdict.class, "verdict");

    /**
     * A line of {@code verdicts.jsonl}.
     *
     * @param id the task's id
     * @param category its part of the suite
     * @param right whether the answer is right
     * @param error the error of a wrong answer, else null
     */
    public record Verdict(String id, String category, boolean right, @Nullable CallError error) {}

    /** Returns the tables of the baselines without a reasoner; the first baseline is the primary row. */
    public SuiteResult baselines() {
        Map<String, List<JudgedCalls>> rows = CallBaselines.judged(tasks);
        List<JudgedCalls> first = rows.remove(CallBaselines.FIRST);
        CallRows makers = new CallRows(Bootstrap.DEFAULT, first == null ? List.of() : first);
        return result(null, makers, makers.primary(CallBaselines.FIRST, SuiteRow.Kind.BASELINE), rows);
    }

    /**
     * Returns the tables of a reasoner's answers, which are the primary row.
     *
     * @param reasoner its id
     * @param answers calls by task id; no calls mean silence, an empty optional a malformed answer
     * @param verdicts file for the verdicts, or null
     * @throws dev.prpf.base.error.PrpfException 65 for a task without an answer
     */
    public SuiteResult score(
            String reasoner, Map<String, Optional<List<FunctionCall>>> answers, @Nullable Path verdicts) {
        List<JudgedCalls> judged = new ArrayList<>();
        for (CallTask task : tasks) {
            Optional<List<FunctionCall>> answer = answers.get(task.id());
            if (answer == null) {
                long lacking = tasks.stream()
                        .filter(one -> !answers.containsKey(one.id()))
                        .count();
                throw new InvalidDataException(lacking + " of the " + tasks.size() + " tasks of suite " + suite.name()
                        + " have no answer, the first is " + task.id() + "; every task needs one");
            }
            judged.add(JudgedCalls.of(task, answer.orElse(null)));
        }
        if (verdicts != null) {
            VERDICTS.write(verdicts, judged.stream().map(CallScoring::verdict).toList());
        }
        CallRows makers = new CallRows(Bootstrap.DEFAULT, judged);
        return result(reasoner, makers, makers.primary(reasoner, SuiteRow.Kind.OURS), CallBaselines.judged(tasks));
    }

    private static Verdict verdict(JudgedCalls judged) {
        CallTask task = judged.task();
        return new Verdict(task.id(), task.category(), judged.right(), judged.error());
    }

    private SuiteResult result(
            @Nullable String reasoner, CallRows makers, CallRow primary, Map<String, List<JudgedCalls>> baselines) {
        List<CallRow> rows = new ArrayList<>(List.of(primary));
        baselines.forEach((name, judged) -> rows.add(makers.baseline(name, judged)));
        SuiteResult.SuiteTable categories = new SuiteResult.SuiteTable(
                primary.name() + ", by category", tasks.size(), makers.byCategory(primary.kind()));
        List<String> notes = new ArrayList<>(List.of(suite.rules(), errors(makers.primary())));
        if (reasoner == null) {
            notes.add("No reasoner was named (--reasoner, --remote or --responses): these are only the baselines.");
        }
        return new SuiteResult(
                suite.name(),
                null,
                reasoner,
                new SuiteResult.SuiteTable("are the calls right?", tasks.size(), rows),
                List.of(categories),
                List.of(),
                notes);
    }

    private static String errors(List<JudgedCalls> judged) {
        Map<String, Long> counts = judged.stream()
                .flatMap(one -> Optional.ofNullable(one.error()).stream())
                .collect(Collectors.groupingBy(CallError::key, TreeMap::new, Collectors.counting()));
        return "Wrong answers of the primary row by the first rule that they break: "
                + (counts.isEmpty()
                        ? "none"
                        : counts.entrySet().stream()
                                .map(count -> count.getKey() + " " + count.getValue())
                                .collect(Collectors.joining(", ")));
    }

    /** Returns the answers of a run. */
    public static Map<String, Optional<List<FunctionCall>>> of(List<Prediction> predictions) {
        Map<String, Optional<List<FunctionCall>>> answers = new LinkedHashMap<>();
        predictions.forEach(prediction -> answers.put(prediction.id(), Optional.ofNullable(prediction.scored())));
        return answers;
    }

    /**
     * Reads answers from lines {@code {"id", "response": raw text}} or {@code {"id", "calls": [[call…]…]}}; only the first
     * recommendation counts.
     *
     * @throws dev.prpf.base.error.PrpfException 65 for an invalid line, or a duplicate or unknown id
     */
    public Map<String, Optional<List<FunctionCall>>> read(Path file) {
        Set<String> ids = tasks.stream().map(CallTask::id).collect(Collectors.toSet());
        Map<String, Optional<List<FunctionCall>>> answers = new LinkedHashMap<>();
        for (ResponseLine line : ResponseLine.read(file, ids, "suite " + suite.name())) {
            if (answers.put(line.id(), calls(line)) != null) {
                throw new InvalidDataException(
                        file + ": id \"" + line.id() + "\" is a duplicate; a task has one answer");
            }
        }
        return answers;
    }

    private static Optional<List<FunctionCall>> calls(ResponseLine line) {
        if (line.calls() != null) {
            return Optional.of(line.calls().isEmpty() ? List.of() : line.calls().get(0));
        }
        return ResponseParser.parse(String.valueOf(line.response())) instanceof ParResponse.Parsed parsed
                ? Optional.of(parsed.calls())
                : Optional.empty();
    }

    /** Baseline answers without a model and without arguments. */
    static final class CallBaselines {
        static final String FIRST = "the first function, no arguments";

        private static final long SEED = 42;

        private CallBaselines() {}

        /** Returns the judged baselines by name, in the order of the tables. */
        static Map<String, List<JudgedCalls>> judged(List<CallTask> tasks) {
            Random random = new Random(SEED);
            Map<String, List<JudgedCalls>> rows = new LinkedHashMap<>();
            rows.put(FIRST, calling(tasks, task -> task.functions().get(0)));
            rows.put(
                    "never",
                    tasks.stream().map(task -> JudgedCalls.of(task, List.of())).toList());
            rows.put("a function at random, no arguments", calling(tasks, task -> task.functions()
                    .get(random.nextInt(task.functions().size()))));
            rows.put(
                    "the function with most words of the request, no arguments",
                    calling(tasks, CallBaselines::closest));
            return rows;
        }

        private static List<JudgedCalls> calling(List<CallTask> tasks, Function<CallTask, FunctionSpec> chosen) {
            return tasks.stream()
                    .map(task -> JudgedCalls.of(
                            task, List.of(new FunctionCall(chosen.apply(task).name(), Map.of()))))
                    .toList();
        }

        /** Returns the function with the most words and word pairs of the request in its name and description. */
        private static FunctionSpec closest(CallTask task) {
            List<String> steps = task.sample().trajectory().texts();
            Set<String> requested = Set.copyOf(terms(String.join("\n", steps)));
            return task.functions().stream()
                    .min(Comparator.comparingLong(
                            function -> -terms(function.name() + " " + function.description()).stream()
                                    .filter(requested::contains)
                                    .count()))
                    .orElseThrow();
        }

        private static Set<String> terms(String text) {
            return new HashSet<>(TextAnalyzer.CHARACTERS.terms(text));
        }
    }

    /**
     * An answer to a function-calling task, with the judgement whether it is right.
     *
     * @param calls the answer's calls; empty for silence, null if malformed
     * @param error the error of a wrong answer, else null
     */
    record JudgedCalls(CallTask task, @Nullable List<FunctionCall> calls, @Nullable CallError error) {
        static JudgedCalls of(CallTask task, @Nullable List<FunctionCall> calls) {
            return new JudgedCalls(
                    task,
                    calls,
                    calls == null ? CallError.MALFORMED : task.rule().judge(calls));
        }

        boolean right() {
            return error == null;
        }

        boolean wantsSilence() {
            return task.wanted().isEmpty();
        }

        boolean called() {
            return calls != null && !calls.isEmpty();
        }

        NameOverlap overlap() {
            return calls == null ? NameOverlap.ZERO : NameOverlap.of(names(calls), task.wanted());
        }

        /** Returns whether the answer calls the wanted functions, each as often as wanted. */
        boolean callsTheWanted() {
            return calls != null && sorted(names(calls)).equals(sorted(task.wanted()));
        }

        private static List<String> names(List<FunctionCall> calls) {
            return calls.stream().map(FunctionCall::name).toList();
        }

        private static List<String> sorted(List<String> names) {
            List<String> sorted = new ArrayList<>(names);
            Collections.sort(sorted);
            return sorted;
        }
    }
}
