package dev.prpf.par.pipeline;

import dev.prpf.data.DeviceContext;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.Recommendation;
import dev.prpf.data.Sample;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.Trajectory;
import dev.prpf.data.Trajectory.TraceStep;
import dev.prpf.par.openai.ChatRequest.ChatPart;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** A record in the making; steps fill its fields in turn. */
final class Draft implements Pipeline.Item {
    private static final int UNKNOWN_DIFFICULTY = 2;

    final String id;
    final Seed seed;
    /** Answers of earlier steps, by the place in prompts. */
    final Map<String, String> known;
    /** Images of the trace, for questions; empty without. */
    final List<ChatPart> images;

    DeviceContext context = new DeviceContext("", "", "");
    List<TraceStep> trace = List.of();
    /** Proposals of the candidate models; equal ones are kept. */
    final List<String> candidates = new ArrayList<>();
    /** Numbers of candidates with one meaning, from 1. */
    List<List<Integer>> groups = List.of();

    List<Intent> intents = List.of();
    final Map<String, List<String>> noise = new HashMap<>();

    Draft(String id, Seed seed, List<ChatPart> images, Map<String, String> known) {
        this.id = id;
        this.seed = seed;
        this.images = images;
        this.known = new LinkedHashMap<>(known);
    }

    /** A proposal with most support, and the answer made from it. */
    static final class Intent implements Pipeline.Item {
        final Draft draft;
        final int rank;
        final String text;
        String reasoning = "";
        String instruction = "";
        List<FunctionCall> calls = List.of();

        Intent(Draft draft, int rank, String text) {
            this.draft = draft;
            this.rank = rank;
            this.text = text;
        }

        boolean isSilence() {
            return text.equals(Drafting.SILENCE);
        }

        @Override
        public String id() {
            return draft.id + "." + rank;
        }

        @Override
        public Map<String, String> values() {
            Map<String, String> values = new HashMap<>(draft.values());
            values.put("intent", text);
            return values;
        }

        @Override
        public List<ChatPart> images() {
            return draft.images;
        }

        Recommendation recommendation() {
            return new Recommendation(calls.isEmpty() ? "" : instruction, calls);
        }
    }

    @Override
    public String id() {
        return id;
    }

    @Override
    public Map<String, String> values() {
        Map<String, String> values = new HashMap<>(known);
        values.put("record", record(context, trace));
        return values;
    }

    @Override
    public List<ChatPart> images() {
        return images;
    }

    /** Returns a record as text for prompts; images follow as parts. */
    static String record(DeviceContext context, List<TraceStep> trace) {
        return "profile: " + context.profile() + "\nphone: " + context.phone() + "\nworld: " + context.world()
                + "\ntrace:\n"
                + IntStream.range(0, trace.size())
                        .mapToObj(i -> (i + 1) + ". " + trace.get(i).text(shot -> "[" + name(shot.path()) + "]"))
                        .collect(Collectors.joining("\n"));
    }

    private static String name(String path) {
        return path.startsWith("data:") ? "image" : path.substring(path.lastIndexOf('/') + 1);
    }

    /** Returns the number of characters of its texts without noise. */
    int length() {
        return String.join("", context.texts()).length()
                + String.join("", new Trajectory(trace).texts()).length();
    }

    int noiseLength() {
        return noise.values().stream()
                .flatMap(List::stream)
                .mapToInt(String::length)
                .sum();
    }

    /** Adds texts of noise to a field, as long as all noise has at most this length. */
    void add(String field, List<String> texts, int most) {
        for (String text : texts) {
            if (!text.isBlank() && noiseLength() + text.length() <= most) {
                noise.computeIfAbsent(field, first -> new ArrayList<>()).add(text.strip());
            }
        }
    }

    /** Returns the scenario of its first call, else the seed's. */
    String scenario(ScenarioCatalog catalog) {
        return answers().stream()
                .flatMap(answer -> answer.calls().stream())
                .map(call -> catalog.scenarioOf(call.name()))
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(seed.scenario());
    }

    /** Returns its distinct answers; silence only is an empty list. */
    List<Recommendation> answers() {
        Set<List<FunctionCall>> seen = new LinkedHashSet<>();
        List<Recommendation> answers = intents.stream()
                .map(Intent::recommendation)
                .filter(answer -> seen.add(answer.calls()))
                .toList();
        return answers.stream().allMatch(Recommendation::isSilence) ? List.of() : answers;
    }

    /** Returns the record with its noise before the relevant text and before the last step. */
    Sample sample(String split, String scenario, String separator) {
        List<TraceStep> steps = new ArrayList<>(trace);
        TraceStep last = steps.remove(steps.size() - 1);
        noise.getOrDefault("trace", List.of())
                .forEach(text -> steps.add(TraceRules.place(steps, text), new TraceStep.Caption(text)));
        steps.add(last);
        DeviceContext noisy = new DeviceContext(
                noisy("profile", context.profile(), separator),
                noisy("phone", context.phone(), separator),
                noisy("world", context.world(), separator));
        return new Sample(id, UNKNOWN_DIFFICULTY, split, scenario, noisy, new Trajectory(steps), answers());
    }

    private String noisy(String field, String text, String separator) {
        List<String> all = new ArrayList<>(noise.getOrDefault(field, List.of()));
        all.add(text);
        return String.join(separator, all);
    }
}
