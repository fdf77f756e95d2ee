package dev.prpf.par.export;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.base.error.InvalidDataException;
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
 * Records as rows of a trainer's data set. What is no message stands in strings and numbers: a list that is empty in one row and full in the
 * next, or a null, has no stable Arrow type.
 */
public record TrainerRows(Trainer trainer) implements ExportRows {
    /** What verl chooses a reward by, and what verl and OpenRLHF call the data in their metrics. */
    static final String DATA_SOURCE = "prpf";

    /** What most trainers take for a picture's place. */
    static final String PICTURE = "<image>";

    /** A message as all trainers have it. */
    record Message(String role, String content) {
        static List<Message> prompt(@Nullable String system, String user) {
            Message turn = new Message("user", user);
            return system == null ? List.of(turn) : List.of(new Message("system", system), turn);
        }
    }

    private record Conversation(List<Message> messages, String id, String about) {}

    private record Completion(List<Message> prompt, List<Message> completion, String id, String about) {}

    /** A whole {@link SftRecord}, and before it what it says as messages. */
    private record WholeRecord(
            List<Message> messages,
            String id,
            boolean intervention,
            String modality,
            PromptSettings prompt,
            String wording,
            @Nullable String teacher,
            List<String> functions,
            @Nullable String system,
            List<Piece> user,
            List<Piece> response,
            List<String> images) {
        WholeRecord(List<Message> messages, SftRecord record) {
            this(
                    messages,
                    record.id(),
                    record.intervention(),
                    record.modality(),
                    record.prompt(),
                    record.wording(),
                    record.teacher(),
                    record.functions(),
                    record.system(),
                    record.user(),
                    record.response(),
                    record.images());
        }
    }

    private record TrlPrompt(List<Message> prompt, String groundTruth, String id, String about) {}

    private record VerlPrompt(
            String dataSource, List<Message> prompt, String ability, RewardModel rewardModel, ExtraInfo extraInfo) {}

    private record OpenRlhfPrompt(List<Message> prompt, String label, String datasource, String id, String about) {}

    private record SlimePrompt(List<Message> prompt, String label, Metadata metadata) {}

    private record SwiftPrompt(List<Message> messages, String groundTruth, String id, String about) {}

    record Metadata(String id, String about) {}

    record RewardModel(String style, String groundTruth) {}

    record ExtraInfo(String split, int index, String id, String about) {}

    private record GroundTruth(String id, List<JsonNode> recommendations) {}

    /** What no trainer needs and a reader wants to know. */
    private record About(
            boolean intervention,
            String modality,
            PromptSettings prompt,
            String wording,
            @Nullable String teacher,
            List<String> screenshots) {}

    /** The class of a row for SFT, or for GRPO, of Parquet. */
    public static Class<? extends Record> typeOf(boolean rewarded) {
        return rewarded ? TrlPrompt.class : WholeRecord.class;
    }

    @Override
    public Record supervised(SftRecord record) {
        Message response = new Message("assistant", Piece.textForOthers(record.response()));
        List<Message> messages = new ArrayList<>(prompt(record));
        if (trainer == Trainer.TRL) {
            return new Completion(messages, List.of(response), record.id(), about(record));
        }
        messages.add(response);
        if (trainer == Trainer.PARQUET) {
            return new WholeRecord(messages, record);
        }
        return new Conversation(messages, record.id(), about(record));
    }

    @Override
    public Record rewarded(SftRecord record, Sample sample, String split, int index) {
        List<Message> prompt = prompt(record);
        String truth = groundTruth(sample);
        String id = record.id();
        String about = about(record);
        return switch (trainer) {
            case TRL, PARQUET -> new TrlPrompt(prompt, truth, id, about);
            case VERL ->
                new VerlPrompt(
                        DATA_SOURCE,
                        prompt,
                        "proactive",
                        new RewardModel("rule", truth),
                        new ExtraInfo(split, index, id, about));
            case OPENRLHF -> new OpenRlhfPrompt(prompt, truth, DATA_SOURCE, id, about);
            case SLIME -> new SlimePrompt(prompt, truth, new Metadata(id, about));
            case MS_SWIFT -> new SwiftPrompt(prompt, truth, id, about);
            case LLAMA_FACTORY -> throw new IllegalArgumentException(trainer + " has no GRPO");
        };
    }

    @Override
    public void requireReadable(SftRecord record) {
        if (trainer == Trainer.OPENRLHF
                && prompt(record).stream().anyMatch(turn -> turn.content().contains(PICTURE))) {
            throw new InvalidDataException("record \"" + record.id() + "\": its prompt holds \"" + PICTURE
                    + "\", which OpenRLHF takes for a picture that is not there; leave the record out of the set, or"
                    + " export to another trainer");
        }
    }

    private static List<Message> prompt(SftRecord record) {
        return Message.prompt(record.system(), Piece.textForOthers(record.user()));
    }

    /** {@code {"id", "recommendations"}} as text: the reward finds the sample by its id, the answers are there to be read. */
    static String groundTruth(Sample sample) {
        List<JsonNode> answers = new ArrayList<>();
        if (sample.answers() != null) {
            sample.answers().forEach(answer -> answers.add(FunctionCallJson.write(answer)));
        }
        return JsonRecords.write(new GroundTruth(sample.id(), answers));
    }

    static String about(SftRecord record) {
        return JsonRecords.write(new About(
                record.intervention(),
                record.modality(),
                record.prompt(),
                record.wording(),
                record.teacher(),
                record.images()));
    }
}
