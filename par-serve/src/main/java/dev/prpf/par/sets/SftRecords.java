package dev.prpf.par.sets;

import dev.prpf.base.error.InvalidConfigurationException;
import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.files.ParquetShards;
import dev.prpf.base.files.RecordLines;
import dev.prpf.base.parquet.ParquetRecords;
import dev.prpf.data.FunctionPool;
import dev.prpf.par.chat.ChatTokenizer;
import dev.prpf.par.prompt.PromptSettings;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The records of an SFT set: JSON Lines that {@code data sft} or {@code data calls} wrote, or Parquet that {@code data export} made of them.
 *
 * @param file where they came from, for messages
 * @param records in the file's order, at least one; their prompts are all written alike
 */
public record SftRecords(String file, List<SftRecord> records) {
    /** The column of an export to Parquet that holds the same prompt and response as others read them. */
    public static final String MESSAGES = "messages";

    private static final RecordLines<SftRecord> LINES = new RecordLines<>(SftRecord.class, "SFT record");
    private static final ParquetRecords<SftRecord> ROWS =
            new ParquetRecords<>(SftRecord.class, "SFT record", Set.of(MESSAGES));

    public SftRecords {
        records = List.copyOf(records);
        if (records.isEmpty()) {
            throw new IllegalArgumentException("records is empty");
        }
    }

    /**
     * Reads a set.
     *
     * @throws PrpfException 65, naming file and line or row, for one that is no SFT record or records of unlike prompts
     */
    public static SftRecords read(Path file) {
        List<SftRecord> records = new ArrayList<>();
        BiConsumer<String, SftRecord> reader = (place, record) -> {
            requireLike(records, place, record);
            records.add(record);
        };
        if (ParquetShards.isParquet(file)) {
            ROWS.read(file, reader);
        } else {
            LINES.read(file, reader);
        }
        return new SftRecords(file.toString(), records);
    }

    private static void requireLike(List<SftRecord> before, String place, SftRecord record) {
        if (!before.isEmpty()) {
            requireLike(before.get(0), place, record);
        }
    }

    /**
     * Refuses a record whose prompt is written otherwise than those before it.
     *
     * @param first of the set
     * @param place of the record, for the message
     * @throws PrpfException 65, naming both ways
     */
    public static void requireLike(SftRecord first, String place, SftRecord record) {
        if (!first.wording().equals(record.wording())) {
            throw new InvalidDataException(place + ": its prompt is written as " + record.prompt() + " (wording "
                    + record.wording() + "), those before as " + first.prompt() + " (wording " + first.wording()
                    + "); a set has one way to write prompts: give each set by itself");
        }
    }

    /**
     * The record of a line.
     *
     * @param place of the line, for the message
     * @throws PrpfException 65 if it is no SFT record
     */
    public static SftRecord parse(String place, String line) {
        return LINES.parse(place, line);
    }

    /** A record's line, without its end. */
    public static String line(SftRecord record) {
        return LINES.line(record);
    }

    /** Writes a set in one step; what stood there is replaced. */
    public static void write(Path file, List<SftRecord> records) {
        LINES.write(file, records);
    }

    /** Returns the settings of the prompts. */
    public PromptSettings prompt() {
        return records.get(0).prompt();
    }

    /** SHA-256 of probes written so by the program that made the set. */
    public String wording() {
        return records.get(0).wording();
    }

    /**
     * Refuses a set of other prompts.
     *
     * @param expected how a model's or a configuration's prompts are written by this program
     * @throws PrpfException 78, naming both ways
     */
    public SftRecords requirePrompts(PromptSettings expected) {
        String present = SftRecord.wordingOf(expected);
        if (!wording().equals(present)) {
            throw new InvalidConfigurationException(file + ": record "
                    + records.get(0).id() + ": its prompt is written as " + prompt() + " (wording " + wording()
                    + "), this program writes prompts here as " + expected + " (wording " + present
                    + "); use the same `prompt:` section, or make the set again");
        }
        return this;
    }

    /** The records of each sample, in the order of their first ones. */
    public List<List<SftRecord>> bySample() {
        Map<String, List<SftRecord>> bySample = new LinkedHashMap<>();
        records.forEach(record ->
                bySample.computeIfAbsent(record.id(), id -> new ArrayList<>()).add(record));
        return List.copyOf(bySample.values());
    }

    /**
     * The prompt of a record.
     *
     * @param ofSample all records of its sample, whose targets are the valid answers
     * @param pool that has the functions which the prompt shows; null where they are not needed
     * @throws PrpfException 65 for a shown function that the pool lacks
     */
    PromptExample prompt(
            SftRecord record, List<SftRecord> ofSample, ChatTokenizer tokenizer, @Nullable FunctionPool pool) {
        return new PromptExample(
                record.id(),
                tokenizer.prompt(record.system(), record.user(), record.screenshots(), record.id()),
                ofSample.stream().map(SftRecord::calls).toList(),
                record.form(),
                pool == null ? List.of() : record.functions(pool, file));
    }

    /**
     * One prompt a sample: its first record's.
     *
     * @param pool that has the functions which the prompts show; null where they are not needed
     * @throws PrpfException 65 for a shown function that the pool lacks
     */
    public List<PromptExample> prompts(ChatTokenizer tokenizer, @Nullable FunctionPool pool) {
        return bySample().stream()
                .map(records -> prompt(records.get(0), records, tokenizer, pool))
                .toList();
    }
}
