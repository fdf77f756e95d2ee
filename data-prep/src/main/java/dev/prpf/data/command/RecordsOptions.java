package dev.prpf.data.command;

import dev.prpf.data.io.AnswersMapping;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Option;

/** {@code --data} and {@code --answers-key}; a mixin. */
final class RecordsOptions {
    @Option(
            names = "--data",
            required = true,
            paramLabel = "FILE",
            description = "Records: a JSON array, or JSON Lines.")
    Path data = Path.of("");

    @Option(
            names = "--answers-key",
            paramLabel = "POINTER",
            description = "A further place of the answers, as a JSON Pointer (repeatable).")
    private List<String> answersKeys = List.of();

    /** Where the records keep their answers. */
    AnswersMapping mapping() {
        return AnswersMapping.standard().preferring(answersKeys);
    }
}
