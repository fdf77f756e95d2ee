package dev.prpf.data.io;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.data.FunctionPool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Checks the whole examples of docs/DATA.md: records, functions and scenarios are valid. */
class DataPageTest {
    private static final Path ROOT = Path.of(System.getProperty("prpf.root", ".."));
    private static final Pattern BLOCK = Pattern.compile("(?s)```json\\n(.*?)```");

    @TempDir
    private Path directory;

    private Path example(String mark) throws IOException {
        return Files.writeString(
                directory.resolve("example.json"), examples(mark).get(0));
    }

    private static List<String> examples(String mark) throws IOException {
        return BLOCK.matcher(Files.readString(ROOT.resolve("docs/DATA.md")))
                .results()
                .map((MatchResult block) -> block.group(1))
                .filter(block -> block.contains(mark))
                .toList();
    }

    @Test
    void records_areValid() throws IOException {
        List<String> records = examples("benchmark_metadata");
        Path data = Files.writeString(directory.resolve("data.json"), "[" + String.join(",", records) + "]");
        Path functions = ROOT.resolve("examples/own-data/functions.json");
        FunctionPool pool = FunctionPoolFile.read(functions);
        Validator.Settings settings = new Validator.Settings(
                ScenarioCatalogReader.of(pool, null), null, false, new AnswersMapping(List.of()));
        List<Finding> findings = new ArrayList<>();
        assertThat(Validator.validate(data, functions, settings, findings::add))
                .isEqualTo(new Validator.Summary(2, 0, 0));
        assertThat(findings).isEmpty();
    }

    @Test
    void functions_areValid() throws IOException {
        List<Defect> defects = new ArrayList<>();
        FunctionPoolFile.Reading reading = FunctionPoolFile.read(example("must_fill"), defects::add);
        assertThat(defects).isEmpty();
        assertThat(reading.pool().names()).containsExactly("book_table", "search_restaurant");
    }

    @Test
    void scenarios_areValid() throws IOException {
        assertThat(ScenarioCatalogReader.read(example("\"scenarios\": [")).names())
                .containsExactly("Food", "Travel");
    }
}
