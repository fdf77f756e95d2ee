package dev.prpf.cli.quickstart;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * Paths of a quickstart's files.
 *
 * @param root the run directory
 * @param configs the project's configs/ folder
 */
record QuickstartFiles(Path root, Path configs) {
    Path data(String split) {
        return images(split).resolve("benchmark_zh.json");
    }

    Path images(String split) {
        return root.resolve("data").resolve(split);
    }

    Path pool() {
        return images("train").resolve("function_pool.json");
    }

    Path store() {
        return root.resolve("store");
    }

    Path gate() {
        return root.resolve("gate");
    }

    Path base() {
        return root.resolve("reasoner-base");
    }

    Path reasoner() {
        return root.resolve("reasoner");
    }

    Path grpo() {
        return root.resolve("reasoner-grpo");
    }

    Path predictions() {
        return root.resolve("cascade").resolve("predictions.jsonl");
    }

    /** Returns the paths that the stages' commands name. */
    Map<String, String> places() {
        Map<String, Path> places = Map.of(
                "configs", config(""),
                "train", images("train"),
                "test", images("test"),
                "pool", pool(),
                "store", store(),
                "gate", gate(),
                "base", base(),
                "reasoner", reasoner(),
                "grpo", grpo(),
                "predictions", predictions());
        Map<String, String> texts = new HashMap<>();
        places.forEach((name, path) -> texts.put(name, path.toString()));
        return texts;
    }

    Path report() {
        return root.resolve("report.html");
    }

    Path config(String name) {
        return configs.resolve("quickstart").resolve(name);
    }
}
