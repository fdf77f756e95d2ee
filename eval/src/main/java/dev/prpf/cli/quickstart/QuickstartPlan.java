package dev.prpf.cli.quickstart;

import dev.prpf.base.stage.Stage;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The commands of a quickstart, in order. */
record QuickstartPlan(QuickstartFiles files, QuickstartConfig config) {
    private static final String TRAIN = "train";
    private static final String TEST = "test";

    List<Stage> stages() {
        List<String> trainData = synth(TRAIN, config.seed(), config.train(), config.trainMultimodalShare());
        List<String> testData = synth(TEST, config.seed() + 1, config.test(), config.testMultimodalShare());
        List<String> sweep = command("mpp sweep --run", files.mpp(), "--max-ftr", config.maxFalseTriggers());
        List<String> sft = trainReasoner("par sft", "par-sft.yaml", files.base(), files.par());
        List<String> grpo =
                trainReasoner("par grpo", "par-grpo.yaml", files.par().resolve("model"), files.grpo());
        return List.of(
                stage("synth", "make a training and a test split in ProactiveMobile's format", trainData, testData),
                stage("validate", "check every record against the function pool", validate(TRAIN), validate(TEST)),
                stage("encode", "read the screens, encode texts and screens once", encode(TRAIN), encode(TEST)),
                stage("mpp", "train the perceiver", train("mpp train", "mpp.yaml", files.mpp())),
                stage("sweep", "choose the threshold on the dev split", sweep),
                stage("init", "train a tokenizer, make a small random reasoner", initReasoner()),
                stage("sft", "train the reasoner", sft),
                stage("grpo", "a few steps on rewards of its own responses", grpo),
                stage("cascade", "run perceiver and reasoner over the test split", cascade()));
    }

    @SafeVarargs
    @SuppressWarnings("varargs") // read, not stored
    private static Stage stage(String name, String about, List<String>... commands) {
        return new Stage(name, about, List.of(commands));
    }

    private List<String> synth(String split, long seed, int count, double multimodalShare) {
        List<String> made = command("data synth --out", files.images(split), "--split", split, "--count", count);
        // A stage that was killed has left a folder; --overwrite replaces it.
        return command(made, "--overwrite --seed", seed, "--multimodal-share", multimodalShare);
    }

    private List<String> validate(String split) {
        return command("data validate --pool", files.pool(), samples(split));
    }

    private List<String> encode(String split) {
        return command("data encode --int8 --store", files.store(), samples(split));
    }

    private List<String> train(String command, String config, Path run) {
        return command(command, "--config", files.config(config), inputs(TRAIN), "--run-dir", run);
    }

    private List<String> initReasoner() {
        List<String> made = command("par init --config", files.config("par-init.yaml"), "--out", files.base());
        return command(made, "--overwrite --text", files.data(TRAIN), "--text", files.pool());
    }

    private List<String> trainReasoner(String command, String config, Path model, Path run) {
        return command(train(command, config, run), "--model", model, "--mpp", files.mpp());
    }

    private List<String> cascade() {
        List<String> models =
                command("eval run --mpp", files.mpp(), "--par", files.grpo().resolve("model"), inputs(TEST));
        List<String> grammar = command(models, "--constrained --top-k", config.topK());
        return command(grammar, "--max-new", config.maxNewTokens(), "--out", files.predictions());
    }

    private List<String> samples(String split) {
        return command("--data", files.data(split), "--images", files.images(split));
    }

    private List<String> inputs(String split) {
        return command(samples(split), "--pool", files.pool(), "--store", files.store());
    }

    /** The words of a command; a text is split at its blanks, a path never. */
    private static List<String> command(Object... parts) {
        List<String> words = new ArrayList<>();
        for (Object part : parts) {
            if (part instanceof List<?> list) {
                list.forEach(word -> words.add(String.valueOf(word)));
            } else if (part instanceof String text) {
                words.addAll(List.of(text.split(" ")));
            } else {
                words.add(String.valueOf(part));
            }
        }
        return words;
    }
}
