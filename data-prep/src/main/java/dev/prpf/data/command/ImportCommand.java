package dev.prpf.data.command;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.csv.CsvMapper;
import com.fasterxml.jackson.dataformat.csv.CsvParser;
import com.fasterxml.jackson.dataformat.csv.CsvSchema;
import dev.prpf.base.command.JsonOption;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.files.IoFailure;
import dev.prpf.base.workflow.Stage;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.Sample;
import dev.prpf.data.io.FunctionPoolFile;
import dev.prpf.data.io.SampleWriter;
import java.io.CharConversionException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code prpf data import}: makes records of flat rows. */
@Command(
        name = "import",
        description = {
            "Make records of the rows of a CSV file in UTF-8, or of JSON Lines.",
            "Make one record of each row: what happened in one situation, and the right action. Join the rows of an event log first.",
            "No --map is needed for a column named like a field below, or like a parameter in functions.json next to the new file;"
                    + " when is read as world, event (also event1, event2, … by number) as trace, action as function.",
            "An empty cell leaves out its parameter. A row without a function is silence; without a column for functions the"
                    + " records are unlabelled."
        },
        footer = {
            "",
            "Fields:",
            "  id, profile, phone, world     texts; without an id the number of the row",
            "  trace, image                  a step as text, or a screenshot's path; repeat --map for several, in order",
            "  instruction, function         the suggestion in words (default: the function's name), and the function",
            "  parameters                    a JSON object; parameters.NAME takes one column as text,",
            "                                parameters.NAME:number and parameters.NAME:boolean as such values",
            "",
            "Example:",
            "  ./prpf data import log.csv        # with the columns when,event,action and parameters of functions.json",
            "  ./prpf data import log.csv --out records.json --map profile=user --map parameters.what=what"
        })
final class ImportCommand implements Runnable {
    @Parameters(paramLabel = "FILE", description = "CSV with a header (*.csv), else JSON Lines with flat objects.")
    private Path file = Path.of("");

    @Option(names = "--map", paramLabel = "FIELD=COLUMN", description = "The column of a field (repeatable).")
    private List<String> map = List.of();

    @Option(names = "--out", paramLabel = "FILE", description = "The new file of records (default: FILE with .json).")
    private @Nullable Path out;

    @Mixin
    private JsonOption output;

    private record Result(int records, long silent, Set<String> dropped, String out, String next) {}

    @Override
    public void run() {
        Path to = out == null ? Path.of(file.toString().replaceFirst("\\.[^./]*$", "") + ".json") : out;
        AtomicFiles.requireNew(to);
        Path pool = to.resolveSibling("functions.json");
        FlatRows mapped =
                FlatRows.mapped(map, Files.exists(pool) ? FunctionPoolFile.read(pool) : new FunctionPool(List.of()));
        Set<String> usual = new LinkedHashSet<>();
        List<Sample> samples = new ArrayList<>();
        Set<String> dropped = new LinkedHashSet<>();
        try (MappingIterator<ObjectNode> read = reader().readValues(file.toFile())) {
            while (read.hasNextValue()) {
                ObjectNode row = read.nextValue();
                FlatRows rows = mapped.in(row, file);
                usual.addAll(rows.usual());
                samples.add(rows.sample(row, samples.size() + 1, file));
                dropped.addAll(rows.unused(row));
            }
        } catch (JsonProcessingException e) {
            throw new InvalidDataException(file + ":" + e.getLocation().getLineNr() + ": is not "
                    + (isCsv() ? "CSV" : "JSON Lines (a CSV file must be named *.csv)") + ": "
                    + e.getOriginalMessage());
        } catch (CharConversionException e) {
            throw new InvalidDataException(file + ": is not text in UTF-8; save it in UTF-8 (in Excel: CSV UTF-8)");
        } catch (IOException e) {
            throw IoFailure.reading(file, e);
        }
        if (samples.isEmpty()) {
            throw new InvalidDataException(file + ": has no rows; the first line of a CSV file names the columns");
        }
        SampleWriter.write(to, samples.iterator());
        long silent = samples.stream()
                .filter(sample -> sample.labelled() && !sample.wantsIntervention())
                .count();
        String next = Stage.typed(List.of("data", "validate", "--data", to.toString(), "--pool", pool.toString()));
        Result result = new Result(samples.size(), silent, dropped, to.toString(), next);
        if (!usual.isEmpty()) {
            System.err.println("note: read columns by their usual names, as --map " + String.join(" --map ", usual));
        }
        if (!dropped.isEmpty()) {
            System.err.println("note: dropped columns that no --map names: " + String.join(", ", dropped));
        }
        output.printLines(
                result,
                () -> List.of(
                        "wrote " + samples.size() + " records to " + to + ", " + silent + " of them silent",
                        "Next: " + next));
    }

    private boolean isCsv() {
        return file.toString().toLowerCase(Locale.ROOT).endsWith(".csv");
    }

    private ObjectReader reader() {
        if (!isCsv()) {
            return new JsonMapper().readerFor(ObjectNode.class);
        }
        return CsvMapper.builder()
                .enable(CsvParser.Feature.SKIP_EMPTY_LINES)
                .enable(CsvParser.Feature.FAIL_ON_MISSING_COLUMNS)
                .build()
                .readerFor(ObjectNode.class)
                .with(CsvSchema.emptySchema().withHeader());
    }
}
