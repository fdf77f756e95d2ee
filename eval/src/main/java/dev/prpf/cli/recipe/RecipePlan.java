package dev.prpf.cli.recipe;

import dev.prpf.base.config.EnumName;
import dev.prpf.base.config.StrictYaml;
import dev.prpf.base.workflow.Placeholders;
import dev.prpf.base.workflow.Stage;
import dev.prpf.data.io.CatalogFiles;
import java.nio.file.Path;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Plans the stages of {@code prpf train} for a recipe, from {@code stages.yaml}.
 *
 * @param options shared command options by name
 */
record RecipePlan(Map<String, String> options, Map<String, Part> stages) {
    private static final String ENCODER = " --set encoder.text-encoder={encoder} --set encoder.precision=int8";
    /** Stages with a configuration of their own. */
    private static final List<String> CONFIGURED = List.of("gate", "init", "sft", "grpo");

    /** Settings for few records. Every prompt has all candidates; the gate's scenarios would be more accurate in training than at inference. */
    private static final String FEW = " --set examples.augmentation.candidate-dropout=false --set prompt.scenes=false";

    /** Leaves silence to the gate if it names the function too: a reasoner learns silence badly from few records. */
    private static final String CALLS_ONLY = " --set examples.silent-share=0";

    private static final int ENOUGH = 1700;
    /** Least number of different records of each class for a gate that is trained in folds. */
    static final int ENOUGH_FOR_FOLDS = 25;

    private static final int MOST_REPETITIONS = 4;
    private static final List<Double> DROPOUT = List.of(0.95, 0.95, 0.95, 0.6, 0.3);
    private static final String LORA = "{rank: 16, alpha: 32, targets: null}";

    /** A stage; its commands have placeholders. */
    record Part(String about, List<String> commands) {}

    /**
     * The inputs of a plan.
     *
     * @param configs the project's configs/ folder
     * @param rarer number of different training records of the rarer class, acting or silent
     */
    record Inputs(
            Recipe recipe, RecipeFiles files, Path configs, int records, boolean tested, long rarer, boolean stated) {
        /** Returns the smallest dev share of at least 0.2 that gives the gate's dev split a record of each class. */
        private double devShare() {
            return Math.max(RecipeData.DEV_SHARE, 0.5 / rarer);
        }

        /** Returns whether each function has a scenario of its own, so that the gate's shortlist names functions. */
        boolean functionScenarios() {
            return steps() && !stated;
        }

        /**
         * Returns the factor for the epochs of a random reasoner. Few records get more epochs, so that the training does not end after a
         * few steps.
         */
        private int repetitions() {
            return (int) Math.max(1, Math.min(MOST_REPETITIONS, Math.round((double) ENOUGH / records)));
        }

        /** Returns the share of dropped distractors in each epoch: short contexts first. */
        private List<Double> distractorDropout() {
            return DROPOUT.stream()
                    .flatMap(share -> Collections.nCopies(repetitions(), share).stream())
                    .toList();
        }

        Path config(String stage) {
            String name =
                    switch (recipe.preset()) {
                        case TINY -> "quickstart/" + (stage.equals("gate") ? gate() : "reasoner-" + stage);
                        case SMALL ->
                            switch (stage) {
                                case "gate" -> "quickstart/" + gate();
                                case "sft" -> "reasoner-sft-small";
                                default -> "reasoner-" + stage;
                            };
                        case PAPER ->
                            stage.equals("gate") ? "gate" : "reasoner-" + stage + "-prpf" + paperSuffix(stage);
                    };
            return configs.resolve(name + ".yaml");
        }

        private String gate() {
            return steps() ? "gate-ensemble" : few() ? "gate-few" : "gate";
        }

        /** Returns whether the gate is a classifier of single steps, which needs folds. */
        boolean steps() {
            return few() && rarer >= ENOUGH_FOR_FOLDS;
        }

        /** Returns whether the gate is one for few records. */
        boolean few() {
            return recipe.preset() != Recipe.Preset.PAPER && repetitions() > 1;
        }

        private String paperSuffix(String stage) {
            return stage.equals("sft") && files.trainImages(recipe) == null ? "-ocr" : "";
        }

        Map<String, Path> configs(List<Stage> stages) {
            Map<String, Path> found = new LinkedHashMap<>();
            CONFIGURED.stream()
                    .filter(name ->
                            stages.stream().anyMatch(stage -> stage.name().equals(name)))
                    .forEach(name -> found.put(name, config(name)));
            return found;
        }
    }

    static List<Stage> stages(Inputs inputs) {
        RecipePlan plan = StrictYaml.shipped("stages.yaml", RecipePlan.class);
        Map<String, String> texts = options(inputs);
        plan.options.forEach((name, text) -> texts.put(Placeholders.OPTIONS + name, text));
        Placeholders placeholders = new Placeholders(texts, defect -> {
            throw new IllegalStateException(defect);
        });
        Map<String, String> places = places(inputs);
        return plan.stages.entrySet().stream()
                .filter(stage -> needs(inputs.recipe, stage.getKey()))
                .map(stage -> new Stage(
                        stage.getKey(),
                        stage.getValue().about(),
                        stage.getValue().commands().stream()
                                .filter(command -> inputs.tested || !command.contains("{options.testing}"))
                                .map(command -> placeholders.words("", command, places))
                                .toList()))
                .filter(stage -> !stage.commands().isEmpty())
                .toList();
    }

    private static boolean needs(Recipe recipe, String stage) {
        return switch (stage) {
            case "synth" -> recipe.data().synthetic() != null;
            case "fetch" -> recipe.hubName() != null;
            case "init" -> recipe.isTiny();
            case "grpo" -> recipe.grpo();
            default -> true;
        };
    }

    /** Returns the options that depend on the recipe; their values are placeholders, because they may have blanks. */
    private static Map<String, String> options(Inputs inputs) {
        Recipe recipe = inputs.recipe;
        Map<String, String> options = new HashMap<>();
        String trainImages = inputs.files.trainImages(recipe) == null ? "" : "--images {train-images}";
        String testImages = inputs.files.testImages(recipe) == null ? "" : " --images {test-images}";
        options.put("train-images", trainImages);
        options.put("units", inputs.few() && !inputs.steps() ? "--sentences" : "");
        options.put("testing", "--data {test}" + testImages);
        Double confidence = recipe.gate().confidence();
        options.put(
                "threshold", confidence == null ? "--max-ftr {ftr}" : "--bound-ftr {ftr} --confidence {confidence}");
        options.put(
                "gate",
                (inputs.steps()
                                ? "--ensemble --set seed={seed} --set text-encoders=[{encoder}]"
                                : "--set seed={seed} --set training.dev-share={dev-share}" + ENCODER)
                        + (confidence == null ? "" : " --set calibration.share=" + RecipeData.CALIBRATION_SHARE));
        String trained =
                " --set training.seed={seed}" + ENCODER + (recipe.isTiny() ? "" : " --set training.lora={lora}");
        String wording = recipe.isTiny()
                ? " --set training.epochs={epochs} --set examples.augmentation.distractor-dropout={dropout}"
                : " --set prompt.wording={wording}";
        options.put(
                "sft",
                "--set examples.seed={seed} --set examples.shortlist={shortlist}" + trained + wording
                        + (inputs.few() ? FEW : "") + (inputs.functionScenarios() ? CALLS_ONLY : ""));
        options.put("grpo", "--set prompts.seed={seed} --set prompts.shortlist={shortlist}" + trained);
        Map<String, String> named = new HashMap<>();
        options.forEach((name, text) -> named.put(Placeholders.OPTIONS + name, text));
        return named;
    }

    private static Map<String, String> places(Inputs inputs) {
        Recipe recipe = inputs.recipe;
        RecipeFiles files = inputs.files;
        CatalogFiles catalog = CatalogFiles.in(files.trainFolder());
        Recipe.Data data = recipe.data();
        Map<String, @Nullable Object> places = new HashMap<>();
        places.put("train", files.train());
        places.put("test", files.test());
        places.put("train-folder", files.trainFolder());
        places.put("test-folder", files.testFolder());
        places.put("train-images", files.trainImages(recipe));
        places.put("test-images", files.testImages(recipe));
        places.put(
                "pool",
                data.synthetic() == null
                        ? catalog.functions()
                        : files.trainFolder().resolve("function_pool.json"));
        Path functions = CatalogFiles.in(files.work()).scenarios();
        places.put("record-scenarios", catalog.scenarios());
        places.put("scenarios", inputs.functionScenarios() ? functions : catalog.scenarios());
        places.put("store", files.store());
        places.put("gate", files.gate());
        places.put(
                "base",
                recipe.isTiny() || recipe.hubName() != null
                        ? files.base()
                        : recipe.reasoner().base());
        places.put("hub", recipe.hubName());
        places.put("sft", files.sft());
        places.put("grpo", files.grpo());
        places.put("model", files.reasoner(recipe));
        places.put("predictions", files.predictions());
        places.put("language", EnumName.of(recipe.language()));
        places.put("encoder", recipe.language().of("bge-small-zh-v1.5", "bge-small-en-v1.5"));
        places.put("wording", recipe.language().of("full", "english"));
        places.put("lora", recipe.method() == Recipe.Method.LORA ? LORA : "null");
        places.put("seed", recipe.seed());
        places.put("test-seed", recipe.seed() + 1);
        places.put("dev-share", inputs.devShare());
        places.put("epochs", inputs.distractorDropout().size());
        places.put("dropout", inputs.distractorDropout());
        places.put("ftr", recipe.gate().falseTriggers());
        places.put("confidence", recipe.gate().confidence());
        places.put("shortlist", recipe.shortlist());
        places.put("max-new-tokens", recipe.responseTokens());
        Recipe.Synthetic synthetic = data.synthetic();
        if (synthetic != null) {
            places.put("synthetic.train", synthetic.train());
            places.put("synthetic.test", synthetic.test());
            places.put("synthetic.unseen-names", synthetic.unseenNames());
            places.put("synthetic.multimodal-share", synthetic.multimodalShare());
            places.put("synthetic.test-multimodal-share", synthetic.testMultimodalShare());
        }
        for (String stage : CONFIGURED) {
            places.put("config." + stage, inputs.config(stage));
        }
        Map<String, String> texts = new HashMap<>();
        places.forEach((name, value) -> texts.put(name, Objects.toString(value, "")));
        return texts;
    }
}
