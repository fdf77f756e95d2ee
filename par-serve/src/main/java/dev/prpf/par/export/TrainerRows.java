package dev.prpf.par.export;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.annotation.JsonValue;
import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.data.Sample;
import dev.prpf.data.io.FunctionCallJson;
import dev.prpf.par.prompt.PromptSettings;
import dev.prpf.par.sets.SftRecord;
import dev.prpf.par.tokenizer.Piece;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Converts records to rows of a trainer's data set. Fields other than messages are strings and numbers, since lists that may be empty, and
 * nulls, have no stable Arrow type. In a set with images, TRL and OpenRLHF get messages of parts, the others text with {@code <image>}
 * placeholders. All get a column {@code images}, empty for prompts without images, so that it has one type.
 */
public final class TrainerRows {
    /** Name of the data in verl's choice of a reward, and in the metrics of verl and OpenRLHF. */
    private static final String DATA_SOURCE = "prpf";

    /** Placeholder of an image for most trainers. */
    private static final String IMAGE = "<image>";

    /** Placeholders that trainers recognise in text. */
    private static final Set<String> TAGS = Set.of(IMAGE, "<video>", "<audio>");

    private final Trainer trainer;
    private final @Nullable ImageFiles files;

    private record Message(String role, String content) {}

    private record PartedMessage(String role, List<Part> content) {}

    /** A part of a message; {@code text} is null for an image. */
    private record Part(String type, @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String text) {}

    /** A row as its columns in order. */
    private record Row(@JsonValue Map<String, Object> columns) {
        Row(String name, Object value) {
            this(new LinkedHashMap<>(Map.of(name, value)));
        }

        /** Adds a column, unless its value is null. */
        Row with(String name, @Nullable Object value) {
            if (value != null) {
                columns.put(name, value);
            }
            return this;
        }
    }

    private record WholeRecord(List<Message> messages, @JsonUnwrapped SftRecord record) {}

    private record ParquetPrompt(List<Message> prompt, String groundTruth, String id, String about) {}

    private record GroundTruth(String id, List<JsonNode> recommendations) {}

    /** Facts for readers, unused by trainers. */
    private record About(
            boolean intervention,
            String modality,
            PromptSettings prompt,
            String wording,
            @Nullable String teacher,
            List<String> screenshots) {}

    /** Creates rows of text messages. */
    public TrainerRows(Trainer trainer) {
        this(trainer, null);
    }

    /** @param files copies the images into the export; null for rows without images */
    TrainerRows(Trainer trainer, @Nullable ImageFiles files) {
        this.trainer = trainer;
        this.files = files;
    }

    /** Returns the class of a Parquet row for SFT or GRPO. */
    public static Class<? extends Record> typeOf(boolean rewarded) {
        return rewarded ? ParquetPrompt.class : WholeRecord.class;
    }

    /** Makes a row of a prompt with its response. */
    public Record supervised(SftRecord record) {
        Message response = new Message("assistant", Piece.textForOthers(record.response()));
        if (trainer == Trainer.PARQUET) {
            return new WholeRecord(
                    Stream.concat(turns(record).stream(), Stream.of(response)).toList(), record);
        }
        boolean parted = files != null && trainer == Trainer.TRL;
        List<Object> completion = List.of(parted ? new PartedMessage("assistant", parts(record.response())) : response);
        List<Object> prompt = prompt(record);
        Row row = trainer == Trainer.TRL
                ? new Row("prompt", prompt).with("completion", completion)
                : new Row(
                        "messages",
                        Stream.of(prompt, completion).flatMap(List::stream).toList());
        return row.with("images", images(record)).with("id", record.id()).with("about", about(record));
    }

    /** Makes row {@code index} of a split, a prompt with its gold recommendations. */
    public Record rewarded(SftRecord record, Sample sample, String split, int index) {
        String truth = groundTruth(sample);
        String id = record.id();
        String about = about(record);
        if (trainer == Trainer.PARQUET) {
            return new ParquetPrompt(turns(record), truth, id, about);
        }
        List<Object> prompt = prompt(record);
        List<String> images = images(record);
        return switch (trainer) {
            case TRL, MS_SWIFT ->
                new Row(trainer == Trainer.TRL ? "prompt" : "messages", prompt)
                        .with("images", images)
                        .with("ground_truth", truth)
                        .with("id", id)
                        .with("about", about);
            case VERL ->
                new Row("data_source", DATA_SOURCE)
                        .with("prompt", prompt)
                        .with("images", images)
                        .with("ability", "proactive")
                        .with("reward_model", new Row("style", "rule").with("ground_truth", truth))
                        .with(
                                "extra_info",
                                new Row("split", split)
                                        .with("index", index)
                                        .with("id", id)
                                        .with("about", about));
            case OPENRLHF ->
                new Row("prompt", prompt)
                        .with("images", images)
                        .with("label", truth)
                        .with("datasource", DATA_SOURCE)
                        .with("id", id)
                        .with("about", about);
            case SLIME ->
                new Row("prompt", prompt)
                        .with("images", images)
                        .with("label", truth)
                        .with("metadata", new Row("id", id).with("about", about));
            case LLAMA_FACTORY, PARQUET -> throw new IllegalArgumentException(trainer + " has no GRPO");
        };
    }

    /**
     * Rejects a record that the trainer would misread.
     *
     * @throws InvalidDataException naming the record
     */
    public void requireReadable(SftRecord record) {
        if (files == null) {
            if (trainer == Trainer.OPENRLHF
                    && turns(record).stream().anyMatch(turn -> turn.content().contains(IMAGE))) {
                throw new InvalidDataException("record \"" + record.id() + "\": its prompt holds \"" + IMAGE
                        + "\", which OpenRLHF reads as the placeholder of an image; leave the record out of the set, or"
                        + " export to another trainer");
            }
            return;
        }
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

    private @Nullable List<String> images(SftRecord record) {
        return files == null ? null : files.of(record);
    }

    private boolean hasParts() {
        return files != null && (trainer == Trainer.TRL || trainer == Trainer.OPENRLHF);
    }

    private List<Object> prompt(SftRecord record) {
        if (!hasParts()) {
            return List.copyOf(turns(record));
        }
        PartedMessage user = new PartedMessage("user", parts(record.user()));
        String system = record.system();
        return system == null
                ? List.of(user)
                : List.of(new PartedMessage("system", List.of(new Part("text", system))), user);
    }

    private List<Message> turns(SftRecord record) {
        String user = record.user().stream()
                .map(piece -> files != null && piece.standsForImage() ? IMAGE : Piece.textForOthers(List.of(piece)))
                .collect(Collectors.joining());
        Message turn = new Message("user", user);
        return record.system() == null ? List.of(turn) : List.of(new Message("system", record.system()), turn);
    }

    private static List<Part> parts(List<Piece> pieces) {
        List<Part> parts = new ArrayList<>();
        StringBuilder text = new StringBuilder();
        for (Piece piece : pieces) {
            if (piece.standsForImage()) {
                flush(text, parts);
                parts.add(new Part("image", null));
            } else {
                text.append(Piece.textForOthers(List.of(piece)));
            }
        }
        flush(text, parts);
        return parts;
    }

    private static void flush(StringBuilder text, List<Part> to) {
        if (!text.isEmpty()) {
            to.add(new Part("text", text.toString()));
            text.setLength(0);
        }
    }

    /** Returns {@code {"id", "recommendations"}} as text: the id locates the sample, the answers are for readers. */
    private static String groundTruth(Sample sample) {
        List<JsonNode> answers = new ArrayList<>();
        if (sample.answers() != null) {
            sample.answers().forEach(answer -> answers.add(FunctionCallJson.write(answer)));
        }
        return JsonRecords.write(new GroundTruth(sample.id(), answers));
    }

    private static String about(SftRecord record) {
        return JsonRecords.write(new About(
                record.intervention(),
                record.modality(),
                record.prompt(),
                record.wording(),
                record.teacher(),
                record.images()));
    }
}
