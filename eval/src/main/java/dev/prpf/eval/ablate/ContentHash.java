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

/** SHA-256 of what lies at a path. */
final class ContentHash {
    /** What decides a model's answers beside its weights. */
    private static final List<String> BESIDE =
            List.of("threshold.json", "prpf.json", "tokenizer.json", "chat_template.jinja", "generation_config.json");

    private ContentHash() {}

    /**
     * Facts on a model that is there: the sums of its weights, and of the files beside them that decide what it answers.
     *
     * @param name what the facts' names begin with
     * @throws PrpfException 65 or 69 for a model or a perceiver whose files are not whole
     */
    static Map<String, String> ofModel(String name, Path path) {
        Map<String, String> facts = new LinkedHashMap<>();
        facts.put(name + "_sha256", weights(path));
        BESIDE.stream()
                .filter(file -> Files.isRegularFile(path.resolve(file)))
                .forEach(file -> facts.put(name + "/" + file + "_sha256", AtomicFiles.sha256(path.resolve(file))));
        return facts;
    }

    private static String weights(Path path) {
        if (Files.isRegularFile(path.resolve("config.json"))) {
            return HuggingFaceDirectory.open(path).sha256();
        }
        boolean run = Files.isRegularFile(path.resolve("run.json"));
        return run && RunDirectory.description(path).command().equals("mpp train")
                ? new MppRun(path).sha256()
                : of(path);
    }

    /** Of a file; of a folder the sum over the names and sums of all files in it. */
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
