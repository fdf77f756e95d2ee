package dev.prpf.cli.recipe;

import dev.prpf.base.config.Defaults;
import dev.prpf.base.config.Rule;
import dev.prpf.base.config.StrictYaml;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.UnavailableException;
import dev.prpf.data.Language;
import dev.prpf.data.Sample;
import dev.prpf.data.io.ScenarioCatalogReader;
import dev.prpf.data.synth.SampleSynth;
import dev.prpf.data.synth.SynthSample;
import dev.prpf.data.synth.SynthSettings;
import dev.prpf.par.chat.ChatTemplates;
import dev.prpf.par.huggingface.HuggingFaceDirectory;
import dev.prpf.par.prompt.PromptProvenance;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The plan of a cascade for {@code prpf train}. A recipe states only differences from {@code configs/recipe.yaml}, which describes the keys.
 *
 * @param functions null with synthetic data
 * @param scenarios null for the scenarios of the functions
 * @param maxNewTokens maximum tokens of a response; null for the preset's
 * @param out the cascade's folder; null for one that is named like the recipe
 */
@Defaults("/configs/recipe.yaml")
record Recipe(
        Preset preset,
        Data data,
        @Nullable Path functions,
        @Nullable Path scenarios,
        Gate gate,
        Reasoner reasoner,
        boolean grpo,
        Language language,
        int shortlist,
        @Nullable Integer maxNewTokens,
        long seed,
        @Nullable Path out) {
    private static final String TINY = "tiny";
    private static final String HUB = "hub:";

    /** Selects the configurations of the stages. */
    enum Preset {
        TINY(96),
        SMALL(256),
        PAPER(1024);

        private final int maxNewTokens;

        Preset(int maxNewTokens) {
            this.maxNewTokens = maxNewTokens;
        }
    }

    /** The way in which a reasoner is fine-tuned. */
    enum Method {
        FULL,
        LORA
    }

    /**
     * The labelled records for training and test.
     *
     * @param train null with synthetic data
     * @param test null for a share of the training records
     * @param testImages null for {@code images}
     */
    record Data(
            @Nullable Path train,
            @Nullable Path test,
            @Nullable Path images,
            @Nullable Path testImages,
            double testShare,
            @Nullable Synthetic synthetic) {
        Data {
            Rule.require(
                    (train == null) != (synthetic == null),
                    "train",
                    train,
                    "a file of labelled records, or null with data.synthetic");
            Rule.require(synthetic == null || test == null, "test", test, "null with data.synthetic");
            Rule.require(testShare > 0 && testShare <= 0.5, "test-share", testShare, "above 0 and at most 0.5");
        }
    }

    /** Numbers of generated records, and their shares with screenshots; {@code synthetic.yaml} explains the keys. */
    @Defaults("synthetic.yaml")
    record Synthetic(int train, int test, boolean unseenNames, double multimodalShare, double testMultimodalShare) {
        private static final int EXAMPLES = 100;

        /** Makes a few records like those of the training, by which a plan estimates their length. */
        List<Sample> examples(long seed, Language language) {
            SynthSettings usual = SynthSettings.defaults(seed, EXAMPLES, "train");
            SynthSettings settings = new SynthSettings(
                    seed,
                    EXAMPLES,
                    "train",
                    language,
                    unseenNames,
                    multimodalShare,
                    usual.silentShare(),
                    usual.distractors(),
                    usual.screens(),
                    usual.difficulty(),
                    null);
            return new SampleSynth(settings, ScenarioCatalogReader.shipped())
                    .samples()
                    .map(SynthSample::sample)
                    .toList();
        }
    }

    /**
     * The limit that chooses the gate's threshold.
     *
     * @param falseTriggers percent of silent records that may pass
     * @param confidence percent with which the limit holds on new data; null for a limit on dev
     */
    record Gate(double falseTriggers, @Nullable Double confidence) {
        Gate {
            Rule.require(falseTriggers >= 0 && falseTriggers <= 100, "false-triggers", falseTriggers, "from 0 to 100");
            Rule.require(
                    confidence == null || (confidence > 0 && confidence < 100),
                    "confidence",
                    confidence,
                    "between 0 and 100");
            Rule.require(
                    confidence == null || (falseTriggers > 0 && falseTriggers < 100),
                    "false-triggers",
                    falseTriggers,
                    "between 0 and 100 with gate.confidence");
        }
    }

    /** The reasoner before the training, and the method; null for the preset's. */
    record Reasoner(@Nullable String base, @Nullable Method method) {}

    Recipe {
        Rule.require(
                data.synthetic() != null || functions != null,
                "functions",
                functions,
                "the file of the functions that a record may call");
        Rule.require(shortlist >= 1, "shortlist", shortlist, "at least 1");
        Rule.require(
                preset == Preset.TINY || reasoner.base() != null,
                "reasoner.base",
                reasoner.base(),
                "a model folder or hub:ORGANISATION/NAME where preset is not tiny");
        boolean tiny = preset == Preset.TINY
                && (reasoner.base() == null || reasoner.base().equals(TINY));
        Rule.require(
                tiny || !TINY.equals(reasoner.base()),
                "reasoner.base",
                TINY,
                "a pretrained model where preset is not tiny");
        Rule.require(
                !tiny || reasoner.method() != Method.LORA,
                "reasoner.method",
                "lora",
                "full where reasoner.base is tiny");
    }

    static Recipe read(Path file, List<String> overrides) {
        return StrictYaml.read(file, Recipe.class, overrides);
    }

    /** Returns whether the reasoner starts from random weights. */
    boolean isTiny() {
        return reasoner.base() == null || reasoner.base().equals(TINY);
    }

    /** Returns the hub's name of the base; null for a folder or random weights. */
    @Nullable
    String hubName() {
        String base = reasoner.base();
        return base != null && base.startsWith(HUB) ? base.substring(HUB.length()) : null;
    }

    /**
     * Refuses a base that no training can start from. A base of the hub is checked after its download.
     *
     * @throws PrpfException 69 if there is no such folder, otherwise see {@link #requireModel}
     */
    void requireBase() {
        if (isTiny() || hubName() != null) {
            return;
        }
        Path base = Path.of(Objects.requireNonNull(reasoner.base()));
        if (!Files.isDirectory(base)) {
            throw new UnavailableException("reasoner.base = " + base
                    + ": no such folder; name a model folder, relative to the recipe's, or hub:ORGANISATION/NAME");
        }
        requireModel(base);
    }

    /**
     * Refuses a model that no training can start from, without reading its weights. Prints a note for a model without a chat template.
     *
     * @throws PrpfException 65 for an unknown template, an unsupported model, or wrong weights, 69 without weights or tokenizer
     */
    static void requireModel(Path base) {
        ChatTemplates.ofReasoner(base);
        HuggingFaceDirectory.open(base).requireWhole();
        PromptProvenance.tokenizer(base);
        if (!ChatTemplates.isIn(base)) {
            System.err.println("note: " + base + " has no chat template; its prompts use ChatML");
        }
    }

    Method method() {
        return reasoner.method() != null ? reasoner.method() : preset == Preset.SMALL ? Method.LORA : Method.FULL;
    }

    int responseTokens() {
        return maxNewTokens == null ? preset.maxNewTokens : maxNewTokens;
    }

    /** Returns the folder of the cascade that a recipe's file names, or the default one. */
    Path out(Path file) {
        Path whole = file.toAbsolutePath().normalize();
        Path folder = whole.getParent();
        boolean usual = whole.endsWith("recipe.yaml");
        Path named = usual && folder != null && folder.getFileName() != null ? folder : whole;
        String name = String.valueOf(named.getFileName());
        return out != null ? out : Path.of("runs", name.replaceFirst("\\.ya?ml$", ""));
    }

    /** Returns the files of the user's data by role: train, test, functions, scenarios. */
    Map<String, Path> inputs() {
        Map<String, Path> inputs = new LinkedHashMap<>();
        put(inputs, "train", data.train());
        put(inputs, "test", data.test());
        put(inputs, "functions", functions);
        put(inputs, "scenarios", scenarios);
        return inputs;
    }

    private static void put(Map<String, Path> inputs, String role, @Nullable Path file) {
        if (file != null) {
            inputs.put(role, file);
        }
    }

    /** Returns this recipe with paths of data, functions and the base model resolved against the folder of its file. */
    Recipe at(Path file) {
        Path folder = file.toAbsolutePath().normalize().resolveSibling("");
        Data found = new Data(
                in(folder, data.train()),
                in(folder, data.test()),
                in(folder, data.images()),
                in(folder, data.testImages()),
                data.testShare(),
                data.synthetic());
        String base = reasoner.base();
        Path model = base == null || isTiny() || hubName() != null ? null : folder.resolve(base);
        Reasoner start = model == null || !Files.isDirectory(model)
                ? reasoner
                : new Reasoner(model.toString(), reasoner.method());
        return new Recipe(
                preset,
                found,
                in(folder, functions),
                in(folder, scenarios),
                gate,
                start,
                grpo,
                language,
                shortlist,
                maxNewTokens,
                seed,
                out);
    }

    private static @Nullable Path in(Path folder, @Nullable Path path) {
        if (path == null) {
            return null;
        }
        Path whole = folder.resolve(path);
        Path here = Path.of("").toAbsolutePath();
        return whole.startsWith(here) ? here.relativize(whole) : whole;
    }
}
