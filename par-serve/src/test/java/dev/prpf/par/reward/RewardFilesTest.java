package dev.prpf.par.reward;

import static dev.prpf.par.reward.RewardCases.calls;
import static dev.prpf.par.reward.RewardCases.sample;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.Recommendation;
import dev.prpf.data.Sample;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests invalid gold and response files. */
class RewardFilesTest {
    @TempDir
    Path directory;

    private static void refused(ThrowingCallable call, String... parts) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(PrpfException.class, refused -> assertThat(ExitCode.of(refused))
                        .isEqualTo(ExitCode.BAD_DATA))
                .hasMessageContainingAll(parts);
    }

    private List<ResponseLine> read(String text) throws IOException {
        Path file = Files.writeString(directory.resolve("r.jsonl"), text);
        return ResponseLine.read(file, Set.of("s", "t"), "gold.json");
    }

    @Test
    void goldById() {
        Sample silent = sample("t", List.of());
        assertThat(RewardGold.of(List.of(silent, sample(calls("open_map{}"))), "g", RewardCases.POOL, "p"))
                .containsOnlyKeys("t", "s")
                .containsEntry("t", silent);
    }

    @Test
    void unlabelledGoldIsNotSilence() {
        refused(
                () -> RewardGold.of(List.of(sample("u", null)), "gold.json", RewardCases.POOL, "pool.json"),
                "gold.json",
                "without answers",
                ": u");
    }

    @Test
    void goldWithUnknownFunctionsIsRejected() {
        List<Sample> gold = List.of(sample("x", List.of(new Recommendation("", calls("fly{}", "open_map{}")))));
        refused(
                () -> RewardGold.of(gold, "gold.json", RewardCases.POOL, "pool.json"),
                "gold.json",
                "not in pool.json",
                "\"fly\" (sample x)");
    }

    @Test
    void emptyGoldIsRefused() {
        refused(
                () -> RewardGold.of(List.of(), "gold.json", new FunctionPool(List.of()), "p"),
                "gold.json: holds no samples");
    }

    @Test
    void bothLineShapesAreReadAndIdsMayRepeat() throws IOException {
        List<ResponseLine> lines = read("{\"id\":\"s\",\"response\":\"x\"}\n\n{\"calls\":[[],[{\"name\":\"f\","
                + "\"parameters\":{}}]],\"id\":\"t\"}\n{\"id\":\"s\",\"response\":\"\"}");
        assertThat(lines).extracting(ResponseLine::id).containsExactly("s", "t", "s");
        assertThat(lines.get(0).response()).isEqualTo("x");
        assertThat(lines.get(1).calls()).containsExactly(List.of(), calls("f{}"));
        assertThat(lines.get(2).response()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{\"id\":\"s\" | is no response: Unexpected end-of-input",
                "[1] | is no response: Cannot deserialize",
                "{\"id\":\"s\"} | one of \"response\" and \"calls\"",
                "{\"id\":\"s\",\"response\":\"\",\"calls\":[]} | one of \"response\" and \"calls\"",
                "{\"response\":\"\"} | \"id\": Missing creator property 'id'",
                "{\"id\":7,\"response\":\"\"} | \"id\": Cannot coerce Integer value",
                "{\"id\":\"s\",\"response\":null} | one of \"response\" and \"calls\"",
                "{\"id\":\"s\",\"calls\":7} | \"calls\" must be an array of call lists, is 7",
                "{\"id\":\"s\",\"calls\":[1]} | one array of calls per recommendation, at /0 it has 1",
                "{\"id\":\"s\",\"calls\":[[{\"name\":\"f\"}]]} | parameters",
                "{\"id\":\"s\",\"response\":\"\",\"why\":1} | Unrecognized field \"why\"; known are [calls, id, response]",
                "{\"id\":\"s\",\"id\":\"t\",\"response\":\"\"} | Duplicate",
                "{\"id\":\"s\",\"response\":\"\"} {} | Trailing token",
                "{\"id\":\"w\",\"response\":\"\"} | id \"w\" is not in gold.json",
            })
    void aBadLineIsNamed(String line, String why) {
        refused(() -> read("{\"id\":\"s\",\"response\":\"\"}\n" + line), "r.jsonl:2: ", why);
    }

    @Test
    void aFileWithoutResponsesIsRefused() {
        refused(() -> read("\n"), "r.jsonl: holds no responses");
        refused(() -> ResponseLine.read(directory.resolve("none"), Set.of(), "g"), "none: cannot be read");
    }
}
