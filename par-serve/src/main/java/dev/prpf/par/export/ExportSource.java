package dev.prpf.par.export;

import dev.prpf.data.io.RecordLines;
import dev.prpf.data.run.PrpfException;
import dev.prpf.par.prompt.PromptSettings;
import dev.prpf.par.tokenizer.Piece;
import dev.prpf.par.training.SftRecord;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An SFT set that can be handed over. Our trainers encode what a record says without control tokens; others encode the text of a whole turn,
 * where a turn's end or a picture's place that stands in a record's text would be taken for one. Such records are left out and counted.
 *
 * @param records in the file's order, at least one
 * @param leftOut records that were left out
 * @param leftOutIds their ids
 */
public record ExportSource(List<SftRecord> records, int leftOut, Set<String> leftOutIds) {
    private static final Logger LOG = LoggerFactory.getLogger(ExportSource.class);
    /** Control tokens as ChatML, Qwen and Llama spell them, and the places of media as the trainers do. */
    private static final Pattern TAKEN_FOR_CONTROL = Pattern.compile("<\\|\\w+\\|>|<(image|video|audio)>");

    public ExportSource {
        records = List.copyOf(records);
        leftOutIds = Set.copyOf(leftOutIds);
    }

    /**
     * Reads a file that {@code prpf data sft} made.
     *
     * @throws PrpfException 65, naming file and line, for a line that is no SFT record, records of unlike prompts, or when none is left; 78 if
     *     this program writes such prompts otherwise
     */
    public static ExportSource read(Path file) {
        List<SftRecord> records = new ArrayList<>();
        List<String> leftOut = new ArrayList<>();
        new RecordLines<>(SftRecord.class, "SFT record").read(file, (place, record) -> {
            requireSamePrompts(records, place, record);
            String token = takenForControl(record);
            if (token == null) {
                records.add(record);
            } else {
                LOG.warn(
                        "{}: record {} is left out: its text has {}, which other trainers take for control",
                        place,
                        record.id(),
                        token);
                leftOut.add(record.id());
            }
        });
        if (records.isEmpty()) {
            throw PrpfException.badData(file + ": no record is left of " + leftOut.size()
                    + ": the texts of all have tokens that other trainers take for control");
        }
        requirePresentWording(file, records.get(0));
        return new ExportSource(records, leftOut.size(), new LinkedHashSet<>(leftOut));
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
            throw PrpfException.badData(place + ": its prompt is written as " + record.prompt() + " (wording "
                    + record.wording() + "), those before as " + before.get(0).prompt() + " (wording "
                    + before.get(0).wording() + "); a set has one way to write prompts: export each set by itself");
        }
    }

    private static void requirePresentWording(Path file, SftRecord record) {
        String present = SftRecord.wordingOf(record.prompt());
        if (!record.wording().equals(present)) {
            throw PrpfException.badConfig(file + ": its prompts have wording " + record.wording()
                    + ", this program writes them with " + present
                    + ", so a model trained on the set would not know the prompts it is given; make the set again");
        }
    }

    private static @Nullable String takenForControl(SftRecord record) {
        return Stream.concat(record.user().stream(), record.response().stream())
                .filter(piece -> !piece.control())
                .map(Piece::text)
                .map(TAKEN_FOR_CONTROL::matcher)
                .filter(Matcher::find)
                .map(Matcher::group)
                .findFirst()
                .orElse(null);
    }
}
