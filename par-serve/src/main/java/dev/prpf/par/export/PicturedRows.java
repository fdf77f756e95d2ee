package dev.prpf.par.export;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.prpf.base.error.InvalidDataException;
import dev.prpf.data.Sample;
import dev.prpf.par.export.TrainerRows.ExtraInfo;
import dev.prpf.par.export.TrainerRows.Message;
import dev.prpf.par.export.TrainerRows.Metadata;
import dev.prpf.par.export.TrainerRows.RewardModel;
import dev.prpf.par.sets.SftRecord;
import dev.prpf.par.tokenizer.Piece;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Rows of a set whose prompts show pictures. TRL and OpenRLHF get messages of parts, the others a text with {@code <image>} in each picture's
 * place; all get a column {@code images}, which is empty where a prompt shows none, so that it has one type.
 *
 * @param pictures copies them into the export
 */
record PicturedRows(Trainer trainer, PictureFiles pictures) implements ExportRows {
    /** What the trainers that get text take for a place of something else. */
    private static final Set<String> TAGS = Set.of(TrainerRows.PICTURE, "<video>", "<audio>");

    /** A part of a message; {@code text} is null of a picture. */
    private record Part(String type, @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String text) {}

    private record PartedMessage(String role, List<Part> content) {}

    private record Conversation(List<Message> messages, List<String> images, String id, String about) {}

    private record Completion(
            List<PartedMessage> prompt, List<PartedMessage> completion, List<String> images, String id, String about) {}

    private record TrlPrompt(
            List<PartedMessage> prompt, List<String> images, String groundTruth, String id, String about) {}

    private record VerlPrompt(
            String dataSource,
            List<Message> prompt,
            List<String> images,
            String ability,
            RewardModel rewardModel,
            ExtraInfo extraInfo) {}

    private record OpenRlhfPrompt(
            List<PartedMessage> prompt,
            List<String> images,
            String label,
            String datasource,
            String id,
            String about) {}

    private record SlimePrompt(List<Message> prompt, List<String> images, String label, Metadata metadata) {}

    private record SwiftPrompt(
            List<Message> messages, List<String> images, String groundTruth, String id, String about) {}

    @Override
    public Record supervised(SftRecord record) {
        String about = TrainerRows.about(record);
        if (trainer == Trainer.TRL) {
            List<PartedMessage> response = List.of(new PartedMessage("assistant", parts(record.response())));
            return new Completion(parted(record), response, pictures.of(record), record.id(), about);
        }
        List<Message> messages = new ArrayList<>(tagged(record));
        messages.add(new Message("assistant", Piece.textForOthers(record.response())));
        return new Conversation(messages, pictures.of(record), record.id(), about);
    }

    @Override
    public Record rewarded(SftRecord record, Sample sample, String split, int index) {
        List<String> images = pictures.of(record);
        String truth = TrainerRows.groundTruth(sample);
        String id = record.id();
        String about = TrainerRows.about(record);
        return switch (trainer) {
            case TRL -> new TrlPrompt(parted(record), images, truth, id, about);
            case VERL ->
                new VerlPrompt(
                        TrainerRows.DATA_SOURCE,
                        tagged(record),
                        images,
                        "proactive",
                        new RewardModel("rule", truth),
                        new ExtraInfo(split, index, id, about));
            case OPENRLHF -> new OpenRlhfPrompt(parted(record), images, truth, TrainerRows.DATA_SOURCE, id, about);
            case SLIME -> new SlimePrompt(tagged(record), images, truth, new Metadata(id, about));
            case MS_SWIFT -> new SwiftPrompt(tagged(record), images, truth, id, about);
            case LLAMA_FACTORY, PARQUET -> throw new IllegalArgumentException(trainer + " gets no such rows");
        };
    }

    @Override
    public void requireReadable(SftRecord record) {
        pictures.requireReadable(record);
        if (hasParts()) {
            return;
        }
        String text = Stream.of(record.user(), record.response())
                .map(Piece::text)
                .collect(Collectors.joining("\n", record.system() == null ? "" : record.system(), ""));
        TAGS.stream().filter(text::contains).findFirst().ifPresent(tag -> {
            throw new InvalidDataException("record \"" + record.id() + "\": its text holds \"" + tag + "\", which "
                    + trainer + " takes for a picture, film or sound that is not there; leave the record out of the"
                    + " set, or export to trl");
        });
    }

    private boolean hasParts() {
        return trainer == Trainer.TRL || trainer == Trainer.OPENRLHF;
    }

    private static List<Message> tagged(SftRecord record) {
        String user = record.user().stream()
                .map(piece -> piece.standsForPicture() ? TrainerRows.PICTURE : Piece.textForOthers(List.of(piece)))
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
            if (piece.standsForPicture()) {
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
