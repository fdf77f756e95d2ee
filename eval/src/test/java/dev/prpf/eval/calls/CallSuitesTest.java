package dev.prpf.eval.calls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.error.PrpfException.UnavailableException;
import dev.prpf.data.FunctionSpec.ParameterSpec;
import dev.prpf.eval.suite.DataFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CallSuitesTest {
    @TempDir
    Path folder;

    private List<CallTask> tasks(CallSuite suite) {
        return suite.tasks(DataFolder.of(suite, folder, Map.of()));
    }

    private CallTask task(CallSuite suite, String id) {
        return tasks(suite).stream()
                .filter(task -> task.id().equals(id))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void bfclHasFourCategories() throws IOException {
        MadeTasks.bfcl(folder);

        assertThat(tasks(Bfcl.SUITE))
                .extracting(CallTask::category)
                .containsExactly(
                        "simple_python", "simple_python", "multiple", "parallel", "irrelevance", "irrelevance");
        CallTask multiple = task(Bfcl.SUITE, "multiple_0");
        assertThat(multiple.sample().trajectory().texts()).containsExactly("Play the song Blue Moon.");
        assertThat(multiple.functions()).extracting(function -> function.name()).containsExactly("song", "film");
        assertThat(multiple.wanted()).containsExactly("film");
        assertThat(task(Bfcl.SUITE, "parallel_0").wanted()).containsExactly("song", "song");
        assertThat(task(Bfcl.SUITE, "irrelevance_1").wanted()).isEmpty();
    }

    @Test
    void aceBenchTurnsAreStepsAndWhatIsInsideADictIsTold() throws IOException {
        MadeTasks.aceBench(folder);

        CallTask task = task(AceBench.SUITE, "normal_atom_number_0");
        assertThat(task.sample().trajectory().texts()).containsExactly("user: 订一个房间", "system: 住哪里？", "user: 巴黎，\n两个人");
        assertThat(task.sample().context().world()).isEqualTo("今天是星期四。");
        List<ParameterSpec> parameters = task.functions().get(0).parameters();
        assertThat(parameters).extracting(ParameterSpec::type).containsExactly("string", "bool", "dict");
        assertThat(parameters.get(0).description()).isEqualTo("城市");
        assertThat(parameters.get(2).description()).isEqualTo("{\"name\":{\"type\":\"string\"}}");
        assertThat(task.wanted())
                .as("a name that ends with a number of its own")
                .containsExactly("book_1");
        assertThat(task(AceBench.SUITE, "normal_single_turn_parallel_function_0")
                        .wanted())
                .containsExactly("book_1", "book_1");
    }

    @Test
    void everyCallOfAHammerBenchConversationIsATask() throws IOException {
        MadeTasks.hammerBench(folder);

        List<CallTask> tasks = tasks(HammerBench.SUITE);
        assertThat(tasks).hasSize(6 + 8 * 2 + 2);
        assertThat(tasks.get(0).sample().trajectory().texts()).containsExactly("查违章");
        assertThat(tasks.get(0).conversation()).isNull();
        CallTask second = task(HammerBench.SUITE, "HammerBench_Based:0:4");
        assertThat(second.sample().trajectory().texts())
                .containsExactly(
                        "user: 查违章",
                        "function call: {\"name\":\"Car.fines\",\"arguments\":{}}",
                        "assistant: 哪个城市",
                        "user: 广州");
        assertThat(second.conversation()).isEqualTo("HammerBench_Based:0");
        assertThat(task(HammerBench.SUITE, "ir_ST_Perfect:0:1").wanted())
                .as("the called function is not among its own")
                .isEmpty();
        assertThat(task(HammerBench.SUITE, "HammerBench_IS:0:4").wanted()).isEmpty();
        assertThat(tasks).extracting(CallTask::group).containsOnly("Car.fines");
    }

    @Test
    void missingFilesAre69AndNameTheSource() throws IOException {
        assertThatThrownBy(() -> tasks(AceBench.SUITE))
                .isInstanceOf(UnavailableException.class)
                .hasMessageStartingWith("data_normal_atom_bool.json is missing below " + folder)
                .hasMessageContaining("git clone https://github.com/ACEBench/ACEBench");
        MadeTasks.bfcl(folder);
        Path answers = folder.resolve("function-calling/bfcl/possible_answer/BFCL_v4_multiple.json");
        Files.delete(answers);
        assertThatThrownBy(() -> tasks(Bfcl.SUITE))
                .isInstanceOf(UnavailableException.class)
                .hasMessageStartingWith(answers + " is missing");
    }

    @Test
    void whatBreaksARuleIs65WithFileAndPlace() throws IOException {
        MadeTasks.aceBench(folder);
        Path answers = folder.resolve("function-calling/acebench-zh/possible_answer/data_normal_atom_enum.json");
        Files.writeString(answers, "{\"id\": \"other\", \"ground_truth\": {}}");
        assertThatThrownBy(() -> tasks(AceBench.SUITE))
                .isInstanceOf(InvalidDataException.class)
                .hasMessageContaining(
                        "data_normal_atom_enum.json at line 1/id: is normal_atom_enum_0, which has no line");
        Files.writeString(answers, "{\"id\": \"normal_atom_enum_0\", \"ground_truth\": {\"fly\": {}}}");
        assertThatThrownBy(() -> tasks(AceBench.SUITE)).hasMessageContaining("must be a call of its own functions");
        MadeTasks.hammerBench(folder);
        Path talk = folder.resolve("function-calling/hammerbench-zh/ST_External.json");
        Files.writeString(
                talk,
                "[{\"messages\": [{\"role\": \"user\", \"content\": \"a\"}, {\"role\": \"user\","
                        + " \"content\": \"b\"}], \"multiple_tools\": []}]");
        assertThatThrownBy(() -> tasks(HammerBench.SUITE))
                .hasMessageContaining("ST_External.json at /0/multiple_tools: is []")
                .hasMessageContaining("must be a list of at least one function");
        Files.writeString(
                talk,
                Files.readString(talk)
                        .replace(
                                "[]}]",
                                "[{\"name\": \"f\", \"parameters\": {\"properties\": {\"a\": {\"type\": \"date\"}}}}]}]"));
        assertThatThrownBy(() -> tasks(HammerBench.SUITE))
                .hasMessageContaining(
                        "/0/multiple_tools/0: is not a function schema: function f: parameter \"a\" has type");
    }

    @Test
    void anAnswerOfATypeThatBfclDoesNotHaveIsRefused() throws IOException {
        MadeTasks.bfcl(folder);
        Path file = folder.resolve("function-calling/bfcl/BFCL_v4_multiple.json");
        Files.writeString(file, Files.readString(file).replace("\"string\"", "\"number\""));
        assertThatThrownBy(() -> tasks(Bfcl.SUITE))
                .hasMessageContaining("multiple_0/function/film/title: is \"number\", must be a BFCL type");
    }
}
