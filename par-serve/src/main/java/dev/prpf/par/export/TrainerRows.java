package dev.prpf.par.export;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.data.Sample;
import dev.prpf.data.io.FunctionCallJson;
import dev.prpf.par.prompt.PromptSettings;
import dev.prpf.par.sets.SftRecord;
import dev.prpf.par.tokenizer.Piece;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Converts records to rows of a trainer's data set. Fields other than messages are strings and numbers, since lists that may be empty, and
 * nulls, have no stable Arrow type.
 */
public record TrainerRows(Trainer trainer, Messages messages) {
    /** Name of the data in verl's choice of a reward, and in the metrics of verl and OpenRLHF. */
    private static final String DATA_SOURCE = "prpf";

    /** Placeholder of an image for most trainers. */
    static final String IMAGE = "<image>";

    record Message(String role, String content) {
        static List<Message> prompt(@Nullable String system, String user) {
            Message turn = new Message("user", user);
            return system == null ? List.of(turn) : List.of(new Message("system", system), turn);
        }
    }

    /** Converts the turns of a record to messages. */
    interface Messages {
        List<?> prompt(SftRecord record);

        Object response(SftRecord record);

        /** Returns the files of the prompt's images; null for rows without such a column. */
        @Nullable
        List<String> images(SftRecord record);

        /**
         * Rejects a record that the trainer would misread.
         *
         * @throws InvalidDataException naming the record
         */
        void requireReadable(SftRecord record);
    }

    /** A row; its column {@code images} is absent for null. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    private interface Row {}

    private record Conversation(List<?> messages, @Nullable List<String> images, String id, String about)
            implements Row {}

    private record Completion(
            List<?> prompt, List<?> completion, @Nullable List<String> images, String id, String about)
            implements Row {}

    private record WholeRecord(List<Message> messages, @JsonUnwrapped SftRecord record) {}

    private record TrlPrompt(List<?> prompt, @Nullable List<String> images, String groundTruth, String id, String about)
            implements Row {}

    private record ParquetPrompt(List<Message> prompt, String groundTruth, String id, String about) {}

    private record VerlPrompt(
            String dataSource,
            List<?> prompt,
            @Nullable List<String> images,
            String ability,
            RewardModel rewardModel,
            ExtraInfo extraInfo)
            implements Row {}

    private record OpenRlhfPrompt(
            List<?> prompt, @Nullable List<String> images, String label, String datasource, String id, String about)
            implements Row {}

    private record SlimePrompt(List<?> prompt, @Nullable List<String> images, String label, Metadata metadata)
            implements Row {}

    private record SwiftPrompt(
            List<?> messages, @Nullable List<String> images, String groundTruth, String id, String about)
            implements Row {}

    private record Metadata(String id, String about) {}

    private record RewardModel(String style, String groundTruth) {}

    private record ExtraInfo(String split, int index, String id, String about) {}

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
        this(trainer, new TextMessages(trainer));
    }

    /** Returns the class of a Parquet row for SFT or GRPO. */
    public static Class<? extends Record> typeOf(boolean rewarded) {
        return rewarded ? ParquetPrompt.class : WholeRecord.class;
    }

    /** Makes a row of a prompt with its response. */
    public Record supervised(SftRecord record) {
        List<Object> turns = new ArrayList<>(messages.prompt(record));
        Object response = messages.response(record);
        List<String> images = messages.images(record);
        if (trainer == Trainer.TRL) {
            return new Completion(turns, List.of(response), images, record.id(), about(record));
        }
        turns.add(response);
        if (trainer == Trainer.PARQUET) {
            return new WholeRecord(turns.stream().map(Message.class::cast).toList(), record);
        }
        return new Conversation(turns, images, record.id(), about(record));
    }

    /** Makes row {@code index} of a split, a prompt with its gold recommendations. */
    public Record rewarded(SftRecord record, Sample sample, String split, int index) {
        List<?> prompt = messages.prompt(record);
        List<String> images = messages.images(record);
        String truth = groundTruth(sample);
        String id = record.id();
        String about = about(record);
        return switch (trainer) {
            case TRL -> new TrlPrompt(prompt, images, truth, id, about);
            case PARQUET -> new ParquetPrompt(TextMessages.turns(record), truth, id, about);
            case VERL ->
                new VerlPrompt(
                        DATA_SOURCE,
                        prompt,
                        images,
                        "proactive",
                        new RewardModel("rule", truth),
                        new ExtraInfo(split, index, id, about));
            case OPENRLHF -> new OpenRlhfPrompt(prompt, images, truth, DATA_SOURCE, id, about);
            case SLIME -> new SlimePrompt(prompt, images, truth, new Metadata(id, about));
            case MS_SWIFT -> new SwiftPrompt(prompt, images, truth, id, about);
            case LLAMA_FACTORY -> throw new IllegalArgumentException(trainer + " has no GRPO");
        };
    }

    /**
     * Rejects a record that the trainer would misread.
     *
     * @throws InvalidDataException naming the record
     */
    public void requireReadable(SftRecord record) {
        messages.requireReadable(record);
    }

    private record TextMessages(Trainer trainer) implements Messages {
        private static List<Message> turns(SftRecord record) {
            return Message.prompt(record.system(), Piece.textForOthers(record.user()));
        }

        @Override
        public List<?> prompt(SftRecord record) {
            return turns(record);
        }

        @Override
        public Object response(SftRecord record) {
            return new Message("assistant", Piece.textForOthers(record.response()));
        }

        @Override
        public @Nullable List<String> images(SftRecord record) {
            return null;
        }

        @Override
        public void requireReadable(SftRecord record) {
            if (trainer == Trainer.OPENRLHF
                    && turns(record).stream().anyMatch(turn -> turn.content().contains(IMAGE))) {
                throw new InvalidDataException("record \"" + record.id() + "\": its prompt holds \"" + IMAGE
                        + "\", which OpenRLHF reads as the placeholder of an image; leave the record out of the set, or"
                        + " export to another trainer");
            }
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
