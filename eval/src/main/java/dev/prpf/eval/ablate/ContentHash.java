package dev.prpf.eval.ablate;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.files.IoFailure;
import dev.prpf.base.run.RunDirectory;
import dev.prpf.mpp.run.MppRun;
import dev.prpf.par.huggingface.HuggingFaceDirectory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Computes the SHA-256 of files, folders and models. */
final class ContentHash {
    /** Files that determine a model's answers in addition to its weights. */
    private static final List<String> SETTINGS =
            List.of("threshold.json", "prpf.json", "tokenizer.json", "chat_template.jinja", "generation_config.json");

    private ContentHash() {}

    /**
     * Returns the hashes of an existing model's weights and of the files that also determine its answers.
     *
     * @param name prefix of the keys
     * @throws PrpfException 65 or 69 for a model or a perceiver with incomplete files
     */
    static Map<String, String> ofModel(String name, Path path) {
        Map<String, String> facts = new LinkedHashMap<>();
        facts.put(name + "_sha256", weights(path));
        SETTINGS.stream()
                .filter(file -> Files.isRegularFile(path.resolve(file)))
                .forEach(file -> facts.put(name + "/" + file + "_sha256", AtomicFiles.sha256(path.resolve(file))));
        return facts;
    }

    private static String weights(Path path) {
        if (Files.isRegularFile(path.resolve("config.json"))) {
            return HuggingFaceDirectory.open(path).sha256();
        }
        boolean run = Files.isRegularFile(path.resolve("run.json"));
        return run && RunDirectory.description(path).command().equals("gate train")
                ? MppRun.of(path).sha256()
                : of(path);
    }

    /** Returns the hash of a file; for a folder, of the names and hashes of all its files. */
    static String of(Path path) {
        if (!Files.isDirectory(path)) {
            return AtomicFiles.sha256(path);
        }
        StringBuilder sums = new StringBuilder();
        IoFailure.whileReading("cannot read " + path, () -> {
            try (Stream<Path> files = Files.walk(path)) {
                for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
                    sums.append(path.relativize(file))
                            .append(' ')
                            .append(AtomicFiles.sha256(file))
                            .append('\n');
                }
            }
            return path;
        });
        return AtomicFiles.sha256(sums.toString().getBytes(StandardCharsets.UTF_8));
    }
}
