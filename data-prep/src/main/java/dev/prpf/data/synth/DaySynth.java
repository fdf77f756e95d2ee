package dev.prpf.data.synth;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.Language;
import dev.prpf.data.Recommendation;
import dev.prpf.data.Sample;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.synth.SampleComposer.DistractorBank;
import dev.prpf.data.world.scenario.Scenario;
import dev.prpf.data.world.scenario.Scenario.Actor;
import dev.prpf.data.world.scenario.Scenario.Entry;
import dev.prpf.data.world.scenario.Scenario.Goal;
import dev.prpf.data.world.scenario.ScenarioWorld;
import java.time.LocalTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * Generates days of a phone as scenarios. A day has 40 samples of one persona: a profile with one unwanted topic, and habits. An acting
 * sample opens a goal for half an hour, or until the next sample. Day i depends only on the settings and i. Personas of the split {@code
 * test} have sentences that no other split has.
 */
public final class DaySynth {
    private static final int MOMENTS = 40;
    private static final double SILENT = 0.75;
    private static final int PROFILE = 3; // sentences; the split test has every third template
    private static final int HALF_HOUR = 1800; // seconds

    private final SynthSettings settings;
    private final SynthLibrary library;

    /**
     * @param split as in {@link SynthSettings}
     * @param catalog the scenarios and the map from the pool's functions to them
     */
    public DaySynth(long seed, String split, Language language, ScenarioCatalog catalog) {
        SynthSettings usual = SynthSettings.defaults(seed, 1, split);
        this.settings = new SynthSettings(
                seed,
                1,
                split,
                language,
                false,
                0,
                SILENT,
                usual.distractors(),
                usual.screens(),
                usual.difficulty(),
                null);
        this.library = new SynthLibrary(catalog, settings.names());
    }

    /** @param second of the day */
    private record Moment(int second, Sample sample) {
        boolean acts() {
            return sample.wantsIntervention();
        }

        Recommendation answer() {
            return Objects.requireNonNull(sample.target());
        }
    }

    /** Returns the day of an index, 0 or more. */
    public Scenario day(int index) {
        SplittableRandom random = new SplittableRandom(SampleSynth.seed(settings, index));
        Draw draw = new Draw(library, settings.language(), random);
        String unwanted = draw.from(library.scenarios(false));
        String profile = profile(draw, unwanted);
        List<Moment> moments = moments(draw, unwanted);
        List<Entry> events = new ArrayList<>();
        List<Entry> expected = new ArrayList<>();
        List<Goal> goals = new ArrayList<>();
        for (int i = 0; i < MOMENTS; i++) {
            Moment moment = moments.get(i);
            int next = i + 1 < MOMENTS ? moments.get(i + 1).second() - 1 : Integer.MAX_VALUE;
            events.add(entry(
                    "m" + i, time(moment.second()), List.of(), ScenarioWorld.PHONE + ".use", use(moment.sample())));
            if (moment.acts()) {
                goals.add(goal(i, moment.sample(), time(Math.min(next, moment.second() + HALF_HOUR))));
                expect(i, moment.answer(), expected);
            }
        }
        Map<String, JsonNode> start = new LinkedHashMap<>();
        start.put("profile", TextNode.valueOf(profile));
        List.of("phone", "world").forEach(text -> start.put(text, TextNode.valueOf("")));
        List.of("steps", "calls").forEach(list -> start.put(list, JsonNodeFactory.instance.arrayNode()));
        List<String> seen = events.stream().map(Entry::id).toList();
        return new Scenario(
                String.format(Locale.ROOT, "day-%s-%d-%05d", settings.split(), settings.seed(), index),
                "synth",
                "2026-03-02T07:00:00+08:00",
                Map.of(ScenarioWorld.PHONE, new Scenario.App("phone", start)),
                events,
                List.of(),
                Map.of(),
                new Scenario.User(null, goals, habits(draw), seen, List.of()),
                expected,
                new Scenario.Checks(Map.of(), List.of(), null),
                new Scenario.Limits(null, "23:00"));
    }

    private String profile(Draw draw, String unwanted) {
        boolean test = settings.split().equals("test");
        List<String> all = library.sentences("profile").in(settings.language());
        List<String> own = new ArrayList<>(IntStream.range(0, all.size())
                .filter(i -> (i % PROFILE == 0) == test)
                .mapToObj(all::get)
                .toList());
        DistractorBank bank = new DistractorBank(draw);
        List<String> sentences = new ArrayList<>();
        for (int i = 0; i < PROFILE; i++) {
            sentences.add(bank.fill(own.remove(draw.random().nextInt(own.size()))));
        }
        String topic = draw.of(library.wishTopics(unwanted));
        sentences.add(draw.of(library.sentences("wish")).replace("{topic}", topic));
        return settings.language().paragraph(sentences);
    }

    /** Returns the samples by time; the samples of a half hour are spread over it. */
    private List<Moment> moments(Draw draw, String unwanted) {
        Map<Sample, Integer> halfHours = new LinkedHashMap<>();
        Set<String> offers = new HashSet<>();
        while (halfHours.size() < MOMENTS) {
            SamplePlanner.SamplePlan plan =
                    new SamplePlanner(settings, draw).plan().inDay(unwanted);
            SampleComposer composer = new SampleComposer(draw, plan);
            Sample sample = composer.compose("m", settings.split()).sample();
            Recommendation answer = sample.target();
            if (answer == null || (!plan.scenario().equals(unwanted) && offers.add(answer.instruction()))) {
                halfHours.put(sample, composer.now().halfHours());
            }
        }
        List<Map.Entry<Sample, Integer>> sorted = new ArrayList<>(halfHours.entrySet());
        sorted.sort(Map.Entry.comparingByValue(Comparator.naturalOrder()));
        List<Moment> moments = new ArrayList<>();
        for (int from = 0, i = 0; i < MOMENTS; i++) {
            int half = sorted.get(i).getValue();
            from = half == sorted.get(from).getValue() ? from : i;
            int there =
                    (int) halfHours.values().stream().filter(one -> one == half).count();
            int second = half * HALF_HOUR + (2 * (i - from) + 1) * HALF_HOUR / (2 * there);
            moments.add(new Moment(second, sorted.get(i).getKey()));
        }
        return moments;
    }

    private static String time(int second) {
        return LocalTime.ofSecondOfDay(second).format(DateTimeFormatter.ISO_LOCAL_TIME);
    }

    private static Entry entry(String id, String at, List<String> after, String call, Map<String, JsonNode> with) {
        return new Entry(id, at.isEmpty() ? null : at, after, null, null, null, call, with);
    }

    private static Map<String, JsonNode> use(Sample sample) {
        Map<String, JsonNode> use = new LinkedHashMap<>();
        use.put("phone", TextNode.valueOf(sample.context().phone()));
        use.put("world", TextNode.valueOf(sample.context().world()));
        use.put("steps", JsonRecords.tree(sample.trajectory().texts()));
        return use;
    }

    /** Returns the goal of a call with the arguments that all answers with this function share. */
    private static Goal goal(int number, Sample sample, String until) {
        List<FunctionCall> calls =
                sample.validSequences().stream().map(one -> one.get(0)).toList();
        FunctionCall first = calls.get(0);
        Map<String, JsonNode> where = new LinkedHashMap<>(first.parameters());
        calls.stream().filter(call -> call.name().equals(first.name())).forEach(call -> where.entrySet()
                .retainAll(call.parameters().entrySet()));
        return new Goal("g" + number, ScenarioWorld.PHONE + "." + first.name(), where, "m" + number, until);
    }

    private static void expect(int number, Recommendation answer, List<Entry> expected) {
        FunctionCall call = answer.calls().get(0);
        Map<String, JsonNode> text = Map.of(Scenario.TEXT, TextNode.valueOf(answer.instruction()));
        expected.add(entry("p" + number, "", List.of("m" + number), Scenario.PROPOSE, text));
        expected.add(
                new Entry("y" + number, null, List.of("p" + number), 1.0, null, Actor.USER, Scenario.ACCEPT, Map.of()));
        expected.add(new Entry(
                "c" + number,
                null,
                List.of("p" + number),
                2.0,
                null,
                null,
                ScenarioWorld.PHONE + "." + call.name(),
                call.parameters()));
    }

    private static Map<String, Double> habits(Draw draw) {
        SplittableRandom random = draw.random();
        Map<String, Double> habits = new LinkedHashMap<>();
        habits.put("trust", random.nextInt(3, 10) / 10.0);
        habits.put("attention", random.nextInt(80, 101) / 100.0);
        habits.put("fatigue", random.nextInt(0, 4) / 100.0);
        habits.put("patience", (double) random.nextInt(3, 10));
        return habits;
    }
}
