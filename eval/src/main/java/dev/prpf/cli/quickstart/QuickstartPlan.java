package dev.prpf.cli.quickstart;

import java.util.List;
import java.util.stream.Stream;

/** The commands of a quickstart, in order. */
final class QuickstartPlan {
    private final QuickstartFiles files;
    private final QuickstartConfig config;

    QuickstartPlan(QuickstartFiles files, QuickstartConfig config) {
        this.files = files;
        this.config = config;
    }

    List<Stage> stages() {
        return List.of(
                new Stage(
                        "synth",
                        "make a training and a test split in ProactiveMobile's format",
                        List.of(
                                synth("train", config.seed(), config.train(), config.trainMultimodalShare()),
                                synth("test", config.seed() + 1, config.test(), config.testMultimodalShare()))),
                new Stage(
                        "validate",
                        "check every record against the function pool",
                        List.of(validate("train"), validate("test"))),
                new Stage(
                        "encode",
                        "read the screens, encode texts and screens once",
                        List.of(encode("train"), encode("test"))),
                new Stage("mpp", "train the perceiver", List.of(trainPerceiver())),
                new Stage(
                        "sweep",
                        "choose the threshold on the dev split",
                        List.of(command("mpp", "sweep", "--run", files.mpp(), "--max-ftr", config.maxFalseTriggers()))),
                new Stage("init", "train a tokenizer, make a small random reasoner", List.of(initReasoner())),
                new Stage("sft", "train the reasoner", List.of(trainReasoner())),
                new Stage("grpo", "a few steps on rewards of its own responses", List.of(rewardReasoner())),
                new Stage("cascade", "run perceiver and reasoner over the test split", List.of(cascade())));
    }

    private List<String> synth(String split, long seed, int count, double multimodalShare) {
        return command(
                "data",
                "synth",
                "--out",
                files.images(split),
                "--overwrite", // of a stage that was killed
                "--split",
                split,
                "--count",
                count,
                "--seed",
                seed,
                "--multimodal-share",
                multimodalShare);
    }

    private List<String> validate(String split) {
        return command(
                "data",
                "validate",
                "--data",
                files.data(split),
                "--pool",
                files.pool(),
                "--images",
                files.images(split));
    }

    private List<String> encode(String split) {
        return command(
                "data",
                "encode",
                "--data",
                files.data(split),
                "--images",
                files.images(split),
                "--store",
                files.store(),
                "--int8");
    }

    private List<String> trainPerceiver() {
        return command(
                "mpp",
                "train",
                "--config",
                files.config("mpp.yaml"),
                "--data",
                files.data("train"),
                "--pool",
                files.pool(),
                "--images",
                files.images("train"),
                "--store",
                files.store(),
                "--run-dir",
                files.mpp());
    }

    private List<String> initReasoner() {
        return command(
                "par",
                "init",
                "--config",
                files.config("par-init.yaml"),
                "--text",
                files.data("train"),
                "--text",
                files.pool(),
                "--out",
                files.base(),
                "--overwrite");
    }

    private List<String> trainReasoner() {
        return command(
                "par",
                "sft",
                "--config",
                files.config("par-sft.yaml"),
                "--model",
                files.base(),
                "--data",
                files.data("train"),
                "--pool",
                files.pool(),
                "--mpp",
                files.mpp(),
                "--images",
                files.images("train"),
                "--store",
                files.store(),
                "--run-dir",
                files.par());
    }

    private List<String> rewardReasoner() {
        return command(
                "par",
                "grpo",
                "--config",
                files.config("par-grpo.yaml"),
                "--model",
                files.par().resolve("model"),
                "--data",
                files.data("train"),
                "--pool",
                files.pool(),
                "--mpp",
                files.mpp(),
                "--images",
                files.images("train"),
                "--store",
                files.store(),
                "--run-dir",
                files.grpo());
    }

    private List<String> cascade() {
        return command(
                "eval",
                "run",
                "--data",
                files.data("test"),
                "--pool",
                files.pool(),
                "--mpp",
                files.mpp(),
                "--par",
                files.grpo().resolve("model"),
                "--images",
                files.images("test"),
                "--store",
                files.store(),
                "--top-k",
                config.topK(),
                "--max-new",
                config.maxNew(),
                "--out",
                files.predictions());
    }

    private static List<String> command(Object... words) {
        return Stream.of(words).map(String::valueOf).toList();
    }
}
