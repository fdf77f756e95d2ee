package dev.prpf.par.sets;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidConfigurationException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
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
 * The records of an SFT set: JSON Lines from {@code data sft-set} or {@code data calls}, or Parquet from {@code data export}.
 *
 * @param file source of the records, for messages
 * @param records in the file's order, at least one; all prompts have the same format
 */
public record SftRecords(String file, List<SftRecord> records) {
    /** The column of a Parquet export that repeats prompt and response for other programs. */
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
     * Reads a set from a file.
     *
     * @throws PrpfException 65, naming file and line or row, for an invalid SFT record or different formats of prompts
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
     * Rejects a record with another prompt format than the records before it.
     *
     * @param first of the set
     * @param place of the record, for the message
     * @throws PrpfException 65, naming both formats
     */
    public static void requireLike(SftRecord first, String place, SftRecord record) {
        if (!first.wording().equals(record.wording())) {
            throw new InvalidDataException(place + ": its prompt is written as " + record.prompt() + " (wording "
                    + record.wording() + "), the previous ones as " + first.prompt() + " (wording " + first.wording()
                    + "); all prompts of a set must have the same format: give each set separately");
        }
    }

    /**
     * Parses the record of a line.
     *
     * @param place of the line, for the message
     * @throws PrpfException 65 for an invalid SFT record
     */
    public static SftRecord parse(String place, String line) {
        return LINES.parse(place, line);
    }

    /** Formats a record as a line, without its end. */
    public static String line(SftRecord record) {
        return LINES.line(record);
    }

    /** Writes a set atomically and replaces an existing file. */
    public static void write(Path file, List<SftRecord> records) {
        LINES.write(file, records);
    }

    public PromptSettings prompt() {
        return records.get(0).prompt();
    }

    /** Returns the SHA-256 of probes in this format by the program that made the set. */
    public String wording() {
        return records.get(0).wording();
    }

    /**
     * Rejects a set of other prompts.
     *
     * @param expected this program's format of the prompts of a model or a configuration
     * @throws PrpfException 78, naming both formats
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

    /** Returns the records of each sample, in the order of their first records. */
    public List<List<SftRecord>> bySample() {
        Map<String, List<SftRecord>> bySample = new LinkedHashMap<>();
        records.forEach(record ->
                bySample.computeIfAbsent(record.id(), id -> new ArrayList<>()).add(record));
        return List.copyOf(bySample.values());
    }

    /**
     * Makes the prompt of a record.
     *
     * @param ofSample all records of its sample; their targets are the valid answers
     * @param pool with the functions in the prompt; null if they are not needed
     * @throws PrpfException 65 for a function in a prompt that the pool lacks
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
     * Makes one prompt for each sample, from its first record.
     *
     * @param pool with the functions in the prompts; null if they are not needed
     * @throws PrpfException 65 for a function in a prompt that the pool lacks
     */
    public List<PromptExample> prompts(ChatTokenizer tokenizer, @Nullable FunctionPool pool) {
        return bySample().stream()
                .map(records -> prompt(records.get(0), records, tokenizer, pool))
                .toList();
    }
}
