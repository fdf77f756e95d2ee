package dev.prpf.mpp.ensemble;

import dev.prpf.data.DeviceContext;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.Recommendation;
import dev.prpf.data.Sample;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.ScenarioCatalog.Scenario;
import dev.prpf.data.Trajectory;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Samples with words that mostly reveal whether help is due and the scenario, and text encoders without weights. */
public final class MadeTexts {
    public static final ScenarioCatalog CATALOG = new ScenarioCatalog(
            List.of(new Scenario("Travel", "旅行"), new Scenario("Shopping", "购物")),
            Map.of("ride", "Travel", "buy", "Shopping"));

    private static final String LETTERS = "abcdefghijklmnopqrstuvwxyz";

    private MadeTexts() {}

    /** An encoder that counts letters, 26 floats. */
    public static final TextVectors COUNTED = vectors("letters", 26, text -> {
        float[] counts = new float[26];
        text.chars().filter(c -> c >= 'a' && c <= 'z').forEach(c -> counts[c - 'a'] += 1f / text.length());
        return counts;
    });

    /** An encoder of length and number of spaces, 2 floats. */
    public static final TextVectors MEASURED = vectors("lengths", 2, text -> new float[] {
        text.length() / 100f, text.chars().filter(c -> c == ' ').count() / 10f
    });

    /** Encodes one text to a vector. */
    @FunctionalInterface
    interface OfText {
        float[] vector(String text);
    }

    static TextVectors vectors(String id, int width, OfText encoder) {
        return new TextVectors() {
            @Override
            public String id() {
                return id;
            }

            @Override
            public int width() {
                return width;
            }

            @Override
            public float[][] encode(List<String> texts) {
                return texts.stream().map(encoder::vector).toArray(float[][]::new);
            }
        };
    }

    /** Makes labelled samples; two of three act, and one of eight has a label that contradicts its words. */
    public static List<Sample> samples(int count, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        List<Sample> samples = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            boolean clear = i % 3 != 0;
            boolean travels = random.nextBoolean();
            boolean acts = random.nextInt(8) == 0 ? !clear : clear;
            String last = clear ? (travels ? "maps airport taxi " : "basket price checkout ") : "idle locked quiet ";
            List<String> steps = List.of("opens " + word(random) + " " + word(random), last + word(random));
            samples.add(sample("s" + i, steps, !acts ? null : travels ? "ride" : "buy", random));
        }
        return samples;
    }

    private static Sample sample(String id, List<String> steps, @Nullable String function, SplittableRandom random) {
        DeviceContext context =
                new DeviceContext("user " + word(random), random.nextInt(4) == 0 ? "" : word(random), "");
        List<Recommendation> answers = function == null
                ? List.of()
                : List.of(new Recommendation("do it", List.of(new FunctionCall(function, Map.of()))));
        return new Sample(id, 1, null, null, context, Trajectory.ofTexts(steps), answers);
    }

    private static String word(SplittableRandom random) {
        StringBuilder word = new StringBuilder();
        IntStream.range(0, 6).forEach(k -> word.append(LETTERS.charAt(random.nextInt(26))));
        return word.toString();
    }

    static List<SampleTexts> texts(List<Sample> samples) {
        return samples.stream()
                .map(sample -> SampleTexts.of(sample, screenshot -> "text of " + screenshot.path()))
                .toList();
    }

    /** Makes the input of the linear members. */
    public static LinearInput input(List<Sample> samples) {
        return LinearInput.of(texts(samples), List.of(COUNTED, MEASURED));
    }

    static boolean[] acts(List<Sample> samples) {
        boolean[] acts = new boolean[samples.size()];
        IntStream.range(0, acts.length).forEach(i -> acts[i] = samples.get(i).wantsIntervention());
        return acts;
    }

    static boolean[][] scenarios(List<Sample> samples) {
        return samples.stream()
                .map(CATALOG::labelsOf)
                .map(labels -> new boolean[] {labels[0] > 0, labels[1] > 0})
                .toArray(boolean[][]::new);
    }
}
