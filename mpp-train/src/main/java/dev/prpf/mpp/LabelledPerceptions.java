package dev.prpf.mpp;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.UnavailableException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.run.RunDirectory;
import dev.prpf.data.Sample;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.mpp.calibration.ProbabilityCalibration;
import dev.prpf.mpp.network.definition.Logits;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/**
 * What the best epoch said of each sample of a split, kept in the run as {@code dev.jsonl}, {@code calibration.jsonl} and
 * {@code test.jsonl}: thresholds, guarantees and tables are made from it without reading or encoding a sample again.
 *
 * @param split which samples
 * @param samples in file order
 */
public record LabelledPerceptions(Split split, List<LabelledPerception> samples) {
    private static final ObjectMapper JSON = new ObjectMapper();

    public LabelledPerceptions {
        samples = List.copyOf(samples);
    }

    /**
     * Of labelled samples and the network's logits.
     *
     * @param logits one row a sample, in order
     * @param catalog of the network's outputs
     */
    public static LabelledPerceptions of(
            Split split,
            List<Sample> samples,
            Logits logits,
            ScenarioCatalog catalog,
            ProbabilityCalibration calibration) {
        List<LabelledPerception> all = new ArrayList<>();
        for (int i = 0; i < samples.size(); i++) {
            all.add(new LabelledPerception(
                    samples.get(i).id(),
                    logits.trigger()[i],
                    Perception.of(logits.trigger()[i], logits.scenarios()[i], catalog.names(), calibration),
                    LabelledPerception.scenariosOfAnswers(samples.get(i), catalog)));
        }
        return new LabelledPerceptions(split, all);
    }

    /**
     * The same, with a mark on each sample whose scenario training had.
     *
     * @param of the samples, in order
     * @param trained whether training had samples of a sample's scenario
     */
    public LabelledPerceptions marked(List<Sample> of, Predicate<Sample> trained) {
        List<LabelledPerception> marked = new ArrayList<>();
        for (int i = 0; i < samples.size(); i++) {
            LabelledPerception one = samples.get(i);
            marked.add(new LabelledPerception(
                    one.id(), one.logit(), one.perception(), one.answers(), trained.test(of.get(i))));
        }
        return new LabelledPerceptions(split, marked);
    }

    /** Those whose scenario training had, or the others. */
    public LabelledPerceptions part(boolean inDistribution) {
        return new LabelledPerceptions(
                split,
                samples.stream()
                        .filter(sample -> sample.inDistribution() == inDistribution)
                        .toList());
    }

    /** p_trigger, shape (n). */
    public double[] pTrigger() {
        return samples.stream()
                .mapToDouble(sample -> sample.perception().pTrigger())
                .toArray();
    }

    /** Trigger logits, shape (n). */
    public double[] logits() {
        return samples.stream().mapToDouble(LabelledPerception::logit).toArray();
    }

    /** Whether each sample wants an intervention, shape (n). */
    public boolean[] acts() {
        boolean[] acts = new boolean[samples.size()];
        for (int i = 0; i < acts.length; i++) {
            acts[i] = samples.get(i).acts();
        }
        return acts;
    }

    /** Where a run keeps a split. */
    public static Path file(Path run, Split split) {
        return run.resolve(split.label() + ".jsonl");
    }

    /** Writes the file into a run directory. */
    public void save(Path run) {
        StringBuilder lines = new StringBuilder();
        try {
            for (LabelledPerception sample : samples) {
                Map<String, Object> line = new LinkedHashMap<>();
                line.put("id", sample.id());
                line.put("acts", sample.acts());
                line.put("logit", sample.logit());
                line.put("p_trigger", sample.perception().pTrigger());
                line.put("scenarios", sample.perception().scenarios());
                line.put("answers", sample.answers());
                line.put("in_distribution", sample.inDistribution());
                lines.append(JSON.writeValueAsString(line)).append('\n');
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        AtomicFiles.writeText(file(run, split), lines.toString());
    }

    /** Whether the run has this split. */
    public static boolean exists(Path run, Split split) {
        return Files.isRegularFile(file(run, split));
    }

    /** @throws PrpfException 69 if the run has not come to the end at which it writes this split */
    public static void requireWritten(Path run, Split split) {
        if (!exists(run, split)) {
            throw new UnavailableException(file(run, split)
                    + ": does not exist; it is written when `prpf mpp train --run-dir " + run + "` ends");
        }
    }

    /**
     * Reads the file of a run.
     *
     * @throws PrpfException 69 if the run has none; 65 naming the line if the file is damaged or of an older version, or if it holds more
     *     or fewer samples than the run says
     */
    public static LabelledPerceptions load(Path run, Split split) {
        requireWritten(run, split);
        Path file = file(run, split);
        List<LabelledPerception> samples = new ArrayList<>();
        try {
            for (String text : Files.readAllLines(file, StandardCharsets.UTF_8)) {
                samples.add(sample(JSON.readTree(text)));
            }
        } catch (IOException | IllegalArgumentException e) {
            throw new InvalidDataException(
                    file + ":" + (samples.size() + 1) + ": cannot be read: " + e.getMessage() + madeAgain(run));
        }
        JsonNode count = RunDirectory.result(run).path(split.label());
        if (count.isInt() && count.intValue() != samples.size()) {
            throw new InvalidDataException(file + ": holds " + samples.size() + " samples, run.json says " + count
                    + ": lines were cut off or added" + madeAgain(run));
        }
        return new LabelledPerceptions(split, samples);
    }

    private static String madeAgain(Path run) {
        return "; the training's command writes it again; where " + run
                + " is one of several (--seeds, --folds), restore it or remove that folder first";
    }

    private static LabelledPerception sample(JsonNode line) {
        Map<String, Double> scenarios = new LinkedHashMap<>();
        line.required("scenarios")
                .properties()
                .forEach(entry ->
                        scenarios.put(entry.getKey(), number(entry.getValue(), "scenarios." + entry.getKey())));
        List<Set<String>> answers = new ArrayList<>();
        for (JsonNode answer : line.required("answers")) {
            Set<String> names = new LinkedHashSet<>();
            answer.forEach(name -> names.add(name.asText()));
            answers.add(names);
        }
        return new LabelledPerception(
                line.required("id").asText(),
                number(line.required("logit"), "logit"),
                new Perception(number(line.required("p_trigger"), "p_trigger"), scenarios),
                answers,
                truth(line.required("in_distribution"), "in_distribution"));
    }

    private static boolean truth(JsonNode value, String key) {
        if (!value.isBoolean()) {
            throw new IllegalArgumentException(key + " = " + value + ", must be true or false");
        }
        return value.booleanValue();
    }

    private static double number(JsonNode value, String key) {
        if (!value.isNumber()) {
            throw new IllegalArgumentException(key + " = " + value + ", must be a number");
        }
        return value.doubleValue();
    }
}
