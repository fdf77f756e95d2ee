package dev.prpf.par.export;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.par.export.TrainerRows.Message;
import dev.prpf.par.sets.SftRecord;
import dev.prpf.par.tokenizer.Piece;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Messages of a set with images in its prompts. TRL and OpenRLHF get messages of parts, the others text with {@code <image>} placeholders.
 * All get a column {@code images}, empty for prompts without images, so that it has one type.
 *
 * @param files copies them into the export
 */
record ImageMessages(Trainer trainer, ImageFiles files) implements TrainerRows.Messages {
    /** Placeholders that trainers recognise in text. */
    private static final Set<String> TAGS = Set.of(TrainerRows.IMAGE, "<video>", "<audio>");

    /** A part of a message; {@code text} is null for an image. */
    private record Part(String type, @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String text) {}

    private record PartedMessage(String role, List<Part> content) {}

    @Override
    public List<?> prompt(SftRecord record) {
        return hasParts() ? parted(record) : tagged(record);
    }

    @Override
    public Object response(SftRecord record) {
        return trainer == Trainer.TRL
                ? new PartedMessage("assistant", parts(record.response()))
                : new Message("assistant", Piece.textForOthers(record.response()));
    }

    @Override
    public List<String> images(SftRecord record) {
        return files.of(record);
    }

    @Override
    public void requireReadable(SftRecord record) {
        files.requireReadable(record);
        if (hasParts()) {
            return;
        }
        String text = Stream.of(record.user(), record.response())
                .map(Piece::text)
                .collect(Collectors.joining("\n", record.system() == null ? "" : record.system(), ""));
        TAGS.stream().filter(text::contains).findFirst().ifPresent(tag -> {
            throw new InvalidDataException("record \"" + record.id() + "\": its text holds \"" + tag + "\", which "
                    + trainer + " reads as the placeholder of an image, video or sound; leave the record out of the"
                    + " set, or export to trl");
        });
    }

    private boolean hasParts() {
        return trainer == Trainer.TRL || trainer == Trainer.OPENRLHF;
    }

    private static List<Message> tagged(SftRecord record) {
        String user = record.user().stream()
                .map(piece -> piece.standsForImage() ? TrainerRows.IMAGE : Piece.textForOthers(List.of(piece)))
                .collect(Collectors.joining());
        return Message.prompt(record.system(), user);
    }

    private static List<PartedMessage> parted(SftRecord record) {
        PartedMessage user = new PartedMessage("user", parts(record.user()));
        String system = record.system();
        return system == null
                ? List.of(user)
                : List.of(new PartedMessage("system", List.of(new Part("text", system))), user);
    }

    private static List<Part> parts(List<Piece> pieces) {
        List<Part> parts = new ArrayList<>();
        List<Piece> text = new ArrayList<>();
        for (Piece piece : pieces) {
            if (piece.standsForImage()) {
                flush(text, parts);
                parts.add(new Part("image", null));
            } else {
                text.add(piece);
            }
        }
        flush(text, parts);
        return parts;
    }

    private static void flush(List<Piece> text, List<Part> to) {
        if (!text.isEmpty()) {
            to.add(new Part("text", Piece.textForOthers(text)));
            text.clear();
        }
    }
}
