package dev.prpf.par.rollout;

import static dev.prpf.par.rollout.Rollouts.group;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.files.RecordLines;
import dev.prpf.base.json.JsonRecords;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RolloutGroupFileTest {
    private static final RolloutGroup SILENT = group("s", false, Rollouts.silence(), Rollouts.malformed());
    private static final RolloutGroup ACTING = group("a", true, Rollouts.intervention(1, 0.5), Rollouts.missed());

    @TempDir
    Path directory;

    private Path file(String text) throws IOException {
        return Files.writeString(directory.resolve("r.jsonl"), text);
    }

    private static List<RolloutGroup> read(Path file) {
        List<RolloutGroup> groups = new ArrayList<>();
        RolloutGroup.index(file, groups::add).close();
        return groups;
    }

    private static void refused(Path file, String... parts) {
        assertThatThrownBy(() -> read(file))
                .isInstanceOfSatisfying(PrpfException.class, refused -> assertThat(ExitCode.of(refused))
                        .isEqualTo(ExitCode.BAD_DATA))
                .hasMessageContainingAll(parts);
    }

    @Test
    void writtenGroupsAreReadBack() {
        Path file = directory.resolve("r.jsonl");
        new RecordLines<>(RolloutGroup.class, "rollout group").write(file, List.of(SILENT, ACTING));
        List<RolloutGroup> read = read(file);
        assertThat(read).usingRecursiveComparison().isEqualTo(List.of(SILENT, ACTING));
        assertThat(read.get(0).rollouts().get(0).logprobs()).containsExactly(-0.25f, -1e-7f, 0);
        assertThat(read.get(0).rollouts().get(1).reward().outcome()).isNull();
    }

    @Test
    void aLineHasTheseKeys() throws IOException {
        JsonNode line = new ObjectMapper().readTree(JsonRecords.write(ACTING));
        assertThat(keys(line)).containsExactly("id", "intervention", "provenance", "prompt_ids", "rollouts");
        assertThat(keys(line.get("provenance"))).containsExactly("policy", "prompt_hash", "reward", "pool", "sampling");
        assertThat(keys(line.at("/provenance/sampling")))
                .containsExactly("temperature", "top_k", "top_p", "max_new", "constrained", "seed");
        JsonNode rollout = line.at("/rollouts/0");
        assertThat(keys(rollout)).containsExactly("ids", "logprobs", "finish", "text", "reward");
        assertThat(rollout.get("finish").textValue()).isEqualTo("end_token");
        assertThat(keys(rollout.get("reward")))
                .containsExactly("total", "terms", "quadrant", "functions", "arguments", "quality");
        assertThat(keys(rollout.at("/reward/terms")))
                .containsExactly("trig", "func", "args", "schema", "tn", "fp", "cov", "over");
    }

    private static List<String> keys(JsonNode object) {
        List<String> keys = new ArrayList<>();
        object.fieldNames().forEachRemaining(keys::add);
        return keys;
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "\"id\":\"a\" | \"id\":\"s\" | is already in line 1",
                "\"id\":\"a\" | \"idd\":\"a\" | 'id'",
                "\"intervention\":true | \"intervention\":true,\"more\":1 | more",
                "\"id\":\"a\", | - | id",
                "\"intervention\":true | \"intervention\":\"true\" | boolean",
                "\"policy\":\"w\" | \"policy\":\"v\" | rollouts of one file have one policy",
                "\"temperature\":1.0 | \"temperature\":0 | temperature = 0.0 must be > 0",
                "\"prompt_ids\":[1,2] | \"prompt_ids\":[] | prompt_ids is empty",
                "\"prompt_ids\":[1,2] | \"prompt_ids\":[1.5] | 1.5",
                "\"prompt_ids\":[1,2] | \"prompt_ids\":[1,null] | null",
                "\"ids\":[5,9,2] | \"ids\":[5,9] | 2 tokens and 3 log-probabilities",
                "\"logprobs\":[-0.25 | \"logprobs\":[0.25 | log-probability 0.25 must be",
                "\"finish\":\"end_token\" | \"finish\":\"eos\" | eos",
                "\"finish\":\"end_token\" | \"finish\":0 | FinishReason",
                "\"finish\":\"end_token\" | \"finish\":\"cancelled\" | finish = CANCELLED must be end_token or length",
                "\"total\":6.75 | \"total\":7 | total = 7.0 must be the sum",
                "\"quadrant\":\"TP\" | \"quadrant\":\"XX\" | XX",
                "\"trig\":2.0 | \"trig\":2.0,\"trig\":2.0 | Duplicate",
                "]} | ]}{} | Trailing",
                "{\"id\" | [ | is no rollout group",
            })
    void aBadLineIsNamed(String from, String to, String why) throws IOException {
        String line = JsonRecords.write(ACTING);
        assertThat(line).contains(from);
        int at = from.equals("]}") ? line.lastIndexOf(from) : line.indexOf(from);
        String bad = line.substring(0, at) + (to.equals("-") ? "" : to) + line.substring(at + from.length());
        refused(file(JsonRecords.write(SILENT) + "\n" + bad + "\n"), "r.jsonl:2: ", why);
    }

    @Test
    void truncatedFileIsRejected() throws IOException {
        String text = JsonRecords.write(SILENT) + "\n" + JsonRecords.write(ACTING);
        refused(file(text.substring(0, text.length() - 40)), "r.jsonl:2: is no rollout group");
    }

    @Test
    void missingOrOtherFileIsRejected() throws IOException {
        refused(directory.resolve("none"), "none: cannot be read");
        refused(file("null\n"), "r.jsonl:1: is no rollout group: null");
    }

    @Test
    void anotherTemplateOrTokenizerIsRefused() {
        Rollouts.PROVENANCE.requirePrompt("p", "model", "r.jsonl");
        assertThatThrownBy(() -> Rollouts.PROVENANCE.requirePrompt("q", "runs/reasoner/model", "r.jsonl"))
                .isInstanceOfSatisfying(PrpfException.class, refused -> assertThat(ExitCode.of(refused))
                        .isEqualTo(ExitCode.BAD_CONFIG))
                .hasMessageContainingAll("r.jsonl: prompt hash = p", "that of runs/reasoner/model is q");
    }
}
