package dev.prpf.cli.quickstart;

import java.nio.file.Path;

/**
 * Where a quickstart's files lie.
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

    Path mpp() {
        return root.resolve("mpp");
    }

    Path base() {
        return root.resolve("par-base");
    }

    Path par() {
        return root.resolve("par");
    }

    Path grpo() {
        return root.resolve("par-grpo");
    }

    Path predictions() {
        return root.resolve("cascade").resolve("predictions.jsonl");
    }

    Path report() {
        return root.resolve("report.html");
    }

    Path config(String name) {
        return configs.resolve("quickstart").resolve(name);
    }
}
