package dev.prpf.par.export;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.base.files.RecordLines;
import dev.prpf.data.io.FunctionCallJson;
import dev.prpf.par.prompt.PromptSettings;
import dev.prpf.par.sets.SftRecord;
import dev.prpf.par.tokenizer.Piece;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Records as rows of a trainer's data set. */
final class TrainerRows {
    /** What verl chooses a reward by, and calls the data in its metrics. */
    static final String DATA_SOURCE = "prpf";

    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
    private static final RecordLines<About> ABOUT = new RecordLines<>(About.class, "record's description");

    private final Trainer trainer;

    TrainerRows(Trainer trainer) {
        this.trainer = trainer;
    }

    /** What no trainer needs and a reader wants to know; one string a row, since its lists and nulls have no stable Arrow type. */
    record About(
            boolean intervention,
            String modality,
            PromptSettings prompt,
            String wording,
            @Nullable String teacher,
            List<String> screenshots) {}

    /** A supervised pair. */
    ObjectNode supervised(SftRecord record) {
        ObjectNode row = NODES.objectNode();
        if (trainer == Trainer.TRL) {
            row.set("prompt", prompt(record));
            row.putArray("completion").add(response(record));
        } else {
            row.set("messages", prompt(record).add(response(record)));
        }
        return row.put("id", record.id()).put("about", about(record));
    }

    /**
     * A prompt with what it is rewarded against.
     *
     * @param index of the row in its split
     */
    ObjectNode rewarded(GrpoPrompt prompt, String split, int index) {
        SftRecord record = prompt.record();
        ObjectNode row = NODES.objectNode();
        if (trainer == Trainer.TRL) {
            row.set("prompt", prompt(record));
            return row.put("ground_truth", groundTruth(prompt))
                    .put("id", record.id())
                    .put("about", about(record));
        }
        row.put("data_source", DATA_SOURCE);
        row.set("prompt", prompt(record));
        row.put("ability", "proactive");
        row.putObject("reward_model").put("style", "rule").put("ground_truth", groundTruth(prompt));
        row.putObject("extra_info")
                .put("split", split)
                .put("index", index)
                .put("id", record.id())
                .put("about", about(record));
        return row;
    }

    private static ArrayNode prompt(SftRecord record) {
        ArrayNode messages = NODES.arrayNode();
        if (record.system() != null) {
            messages.add(message("system", record.system()));
        }
        return messages.add(message("user", Piece.textForOthers(record.user())));
    }

    private static ObjectNode response(SftRecord record) {
        return message("assistant", Piece.textForOthers(record.response()));
    }

    private static ObjectNode message(String role, String content) {
        return NODES.objectNode().put("role", role).put("content", content);
    }

    /** {@code {"id", "recommendations"}} as text: the reward finds the sample by its id, the answers are there to be read. */
    private static String groundTruth(GrpoPrompt prompt) {
        ObjectNode truth = NODES.objectNode().put("id", prompt.sample().id());
        ArrayNode answers = truth.putArray("recommendations");
        if (prompt.sample().answers() != null) {
            prompt.sample().answers().forEach(answer -> answers.add(FunctionCallJson.write(answer)));
        }
        return truth.toString();
    }

    private static String about(SftRecord record) {
        return ABOUT.line(new About(
                record.intervention(),
                record.modality(),
                record.prompt(),
                record.wording(),
                record.teacher(),
                record.images()));
    }
}
