package dev.prpf.par.export;

import dev.prpf.base.error.InvalidConfigurationException;
import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.files.RecordLines;
import dev.prpf.par.prompt.PromptSettings;
import dev.prpf.par.sets.SftRecord;
import dev.prpf.par.tokenizer.Piece;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * An SFT set that can be handed over.
 *
 * @param records in the file's order, at least one; all prompts are written alike
 */
public record ExportSource(List<SftRecord> records) {
    public ExportSource {
        records = List.copyOf(records);
        if (records.isEmpty()) {
            throw new IllegalArgumentException("records is empty");
        }
    }

    /**
     * Reads a file that {@code prpf data sft} made.
     *
     * @throws PrpfException 65, naming file and line, for a line that is no SFT record or records of unlike prompts; 78 if this program writes
     *     such prompts otherwise
     */
    public static ExportSource read(Path file) {
        List<SftRecord> records = new ArrayList<>();
        new RecordLines<>(SftRecord.class, "SFT record").read(file, (place, record) -> {
            requireSamePrompts(records, place, record);
            records.add(record);
        });
        requirePresentWording(file, records.get(0));
        return new ExportSource(records);
    }

    /** Records in whose texts something stands that other trainers would take for a control token; it is written otherwise. */
    public int rewritten() {
        return (int) records.stream()
                .filter(record -> rewritten(record.user()) || rewritten(record.response()))
                .count();
    }

    private static boolean rewritten(List<Piece> pieces) {
        return !Piece.text(pieces).equals(Piece.textForOthers(pieces));
    }

    /** How all of its prompts are written. */
    public PromptSettings prompt() {
        return records.get(0).prompt();
    }

    /** SHA-256 of probes written so. */
    public String wording() {
        return records.get(0).wording();
    }

    private static void requireSamePrompts(List<SftRecord> before, String place, SftRecord record) {
        if (!before.isEmpty() && !before.get(0).wording().equals(record.wording())) {
            throw new InvalidDataException(place + ": its prompt is written as " + record.prompt() + " (wording "
                    + record.wording() + "), those before as " + before.get(0).prompt() + " (wording "
                    + before.get(0).wording() + "); a set has one way to write prompts: export each set by itself");
        }
    }

    private static void requirePresentWording(Path file, SftRecord record) {
        String present = SftRecord.wordingOf(record.prompt());
        if (!record.wording().equals(present)) {
            throw new InvalidConfigurationException(file + ": its prompts have wording " + record.wording()
                    + ", this program writes them with " + present
                    + ", so a model trained on the set would not know the prompts it is given; make the set again");
        }
    }
}
