package dev.prpf.eval.calls;

import dev.prpf.data.FunctionCall;
import dev.prpf.data.FunctionSpec;
import dev.prpf.mpp.linear.TextAnalyzer;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Function;

/** Baseline answers without a model and without arguments. */
final class CallBaselines {
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
        rows.put("the function with most words of the request, no arguments", calling(tasks, CallBaselines::closest));
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
