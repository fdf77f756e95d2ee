package dev.prpf.data.io;

import dev.prpf.data.ScenarioCatalog;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Reads and checks a file larger than the heap of its JVM, and prints the counts. */
final class BigFileProbe {
    private BigFileProbe() {}

    /** @param arguments the data file and the pool */
    public static void main(String[] arguments) {
        Path data = Path.of(arguments[0]);
        long read = 0;
        try (SampleReader reader = SampleReader.open(data)) {
            while (reader.hasNext()) {
                read += reader.next().difficulty() > 0 ? 1 : 0;
            }
        }
        Validator.Settings settings = new Validator.Settings(
                new ScenarioCatalog(List.of(), Map.of()), null, false, AnswersMapping.standard());
        Validator.Summary summary = Validator.validate(data, Path.of(arguments[1]), settings, finding -> {});
        System.out.println(read + " " + summary.records() + " " + summary.fatal());
    }
}
