package dev.prpf.mpp.ensemble;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.error.PrpfException.UnavailableException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.files.IoFailure;
import dev.prpf.base.files.SafeTensors;
import dev.prpf.base.files.SafeTensors.Tensor;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.mpp.ensemble.EnsembleModel.LinearMember;
import dev.prpf.mpp.ensemble.EnsembleModel.StepMember;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The files of a trained ensemble. {@code ensemble.json} is its description, written last. {@code linear.safetensors} holds the regressions,
 * and the means and scales of their blocks, in float32. {@code vocabulary.M.txt} lists the terms of member M, one a line in column order. The
 * perceiver has a run of its own.
 */
public record EnsembleFiles(Path directory) {
    private static final String DESCRIPTION = "ensemble.json";
    private static final String ARRAYS = "linear.safetensors";
    private static final String STEPS = ".steps.2"; // 2 is the version of StepClassifier's weight order

    /** Returns whether the training has written the files. */
    public boolean exist() {
        return Files.isRegularFile(description());
    }

    private Path description() {
        return directory.resolve(DESCRIPTION);
    }

    private Path vocabulary(int member) {
        return directory.resolve("vocabulary." + member + ".txt");
    }

    /** Returns the files that define the linear members; throws like {@link #readDescription}. */
    public List<Path> weights() {
        List<EnsembleDescription.Member> members = readDescription().members();
        Stream<Path> vocabularies = IntStream.range(0, members.size())
                .filter(m -> members.get(m).terms() != null)
                .mapToObj(this::vocabulary);
        return Stream.concat(Stream.of(description(), directory.resolve(ARRAYS)), vocabularies)
                .toList();
    }

    public void write(EnsembleModel model) {
        Map<String, Tensor> tensors = new LinkedHashMap<>();
        for (int m = 0; m < model.linear().size(); m++) {
            String name = "member." + m;
            if (model.linear().get(m) instanceof StepMember steps) {
                put(tensors, m, steps.classifier().vectorizer());
                tensors.put(
                        name + ".width", tensor(new double[] {steps.classifier().width()}));
                tensors.put(name + STEPS, tensor(steps.classifier().parameters()));
            } else if (model.linear().get(m) instanceof LinearMember member) {
                put(tensors, name, List.of(member.regression()));
                if (member.design() instanceof FeatureExtractor.Blocks blocks) {
                    put(tensors, name + ".means", blocks.means());
                    put(tensors, name + ".scales", blocks.scales());
                } else if (member.design() instanceof FeatureExtractor.Counts counts) {
                    put(tensors, m, counts.vectorizer());
                }
            }
        }
        ScenarioHeads heads = model.scenarios();
        if (heads != null) {
            put(tensors, "scenarios", heads.regressions());
        }
        SafeTensors.write(directory.resolve(ARRAYS), tensors, Map.of("format", "prpf-ensemble"));
        AtomicFiles.writeText(
                description(), JsonRecords.tree(model.description()).toPrettyString() + "\n");
    }

    private void put(Map<String, Tensor> tensors, int member, TfIdfGate.Vectorizer vectorizer) {
        tensors.put("member." + member + ".idf", tensor(vectorizer.inverseDocumentFrequency()));
        AtomicFiles.writeText(
                vocabulary(member),
                vectorizer.columns().entrySet().stream()
                        .sorted(Map.Entry.comparingByValue())
                        .map(entry -> entry.getKey() + "\n")
                        .collect(Collectors.joining()));
    }

    private static void put(Map<String, Tensor> tensors, String name, List<LogisticRegression> regressions) {
        double[] weights = regressions.stream()
                .flatMapToDouble(one -> DoubleStream.of(one.weights()))
                .toArray();
        tensors.put(name + ".weights", tensor(weights));
        tensors.put(
                name + ".intercepts",
                tensor(regressions.stream()
                        .mapToDouble(LogisticRegression::intercept)
                        .toArray()));
    }

    private static void put(Map<String, Tensor> tensors, String name, float[][] arrays) {
        for (int e = 0; e < arrays.length; e++) {
            tensors.put(name + "." + e, Tensor.ofFloats(new long[] {arrays[e].length}, arrays[e]));
        }
    }

    private static Tensor tensor(double[] values) {
        float[] floats = new float[values.length];
        IntStream.range(0, floats.length).forEach(i -> floats[i] = (float) values[i]);
        return Tensor.ofFloats(new long[] {floats.length}, floats);
    }

    /**
     * Reads the description of the ensemble.
     *
     * @throws PrpfException 69 if the file does not exist yet, 65 if it is damaged
     */
    public EnsembleDescription readDescription() {
        Path file = description();
        if (!exist()) {
            throw new UnavailableException(
                    file + ": does not exist, the training of the ensemble is not finished; resume"
                            + " it with `prpf gate train --ensemble` and its first options");
        }
        return JsonRecords.read(file.toString(), "ensemble", text(file), EnsembleDescription.class);
    }

    private static String text(Path file) {
        return IoFailure.whileReading("cannot read " + file, () -> Files.readString(file));
    }

    /** @throws PrpfException 69 if the files do not exist yet, 65 if a file is damaged or belongs to another ensemble */
    public EnsembleModel read() {
        EnsembleDescription description = readDescription();
        try (SafeTensors tensors = SafeTensors.open(directory.resolve(ARRAYS))) {
            List<EnsembleModel.Member> linear = new ArrayList<>();
            for (int m = 0; m < description.members().size(); m++) {
                EnsembleDescription.Member member = description.members().get(m);
                if (!member.isPerceiver()) {
                    linear.add(
                            member.readsSteps()
                                    ? steps(tensors, m, description)
                                    : new LinearMember(
                                            member.name(),
                                            design(tensors, m, member),
                                            regressions(tensors, "member." + m).get(0)));
                }
            }
            boolean regressed = !description.hasPerceiver()
                    && !description.members().get(description.widest()).readsSteps();
            ScenarioHeads heads = regressed ? new ScenarioHeads(regressions(tensors, "scenarios")) : null;
            return new EnsembleModel(description, linear, heads);
        } catch (IllegalArgumentException e) {
            throw new InvalidDataException(
                    directory.resolve(ARRAYS) + " does not fit " + DESCRIPTION + ": " + e.getMessage());
        }
    }

    private FeatureExtractor design(SafeTensors tensors, int index, EnsembleDescription.Member member) {
        MemberPlan.Terms terms = member.terms();
        if (terms != null) {
            return new FeatureExtractor.Counts(
                    vectorizer(tensors, index, terms), terms.scope() == MemberPlan.Terms.Scope.ALL);
        }
        return new FeatureExtractor.Blocks(
                member.encoders(),
                arrays(tensors, "member." + index + ".means", member.encoders().size()),
                arrays(tensors, "member." + index + ".scales", member.encoders().size()));
    }

    private StepMember steps(SafeTensors tensors, int index, EnsembleDescription description) {
        EnsembleDescription.Member member = description.members().get(index);
        String weights = "member." + index + STEPS;
        if (!tensors.entries().containsKey(weights)) {
            throw new InvalidDataException(directory.resolve(ARRAYS) + ": has no tensor \"" + weights
                    + "\"; an older version wrote the weights in another order; train again with `prpf gate train"
                    + " --ensemble`");
        }
        return new StepMember(
                member.name(),
                new StepClassifier(
                        vectorizer(tensors, index, Objects.requireNonNull(member.terms())),
                        (int) doubles(tensors, "member." + index + ".width")[0],
                        description.scenarios().size(),
                        doubles(tensors, weights)));
    }

    private TfIdfGate.Vectorizer vectorizer(SafeTensors tensors, int member, MemberPlan.Terms counted) {
        double[] idf = doubles(tensors, "member." + member + ".idf");
        Path vocabulary = vocabulary(member);
        List<String> terms = text(vocabulary).lines().toList();
        if (terms.size() != idf.length) {
            throw new InvalidDataException(vocabulary + ": holds " + terms.size() + " terms, " + ARRAYS
                    + " has weights of " + idf.length + ": one of them is damaged; train again");
        }
        Map<String, Integer> columns = new HashMap<>();
        IntStream.range(0, terms.size()).forEach(column -> columns.put(terms.get(column), column));
        return new TfIdfGate.Vectorizer(counted.analyzer(), columns, idf);
    }

    private static float[][] arrays(SafeTensors tensors, String name, int count) {
        return IntStream.range(0, count)
                .mapToObj(e -> tensors.floats(name + "." + e))
                .toArray(float[][]::new);
    }

    private static List<LogisticRegression> regressions(SafeTensors tensors, String name) {
        double[] weights = doubles(tensors, name + ".weights");
        double[] intercepts = doubles(tensors, name + ".intercepts");
        int width = intercepts.length == 0 ? 0 : weights.length / intercepts.length;
        return IntStream.range(0, intercepts.length)
                .mapToObj(r ->
                        new LogisticRegression(Arrays.copyOfRange(weights, r * width, (r + 1) * width), intercepts[r]))
                .toList();
    }

    private static double[] doubles(SafeTensors tensors, String name) {
        float[] floats = tensors.floats(name);
        return IntStream.range(0, floats.length).mapToDouble(i -> floats[i]).toArray();
    }
}
