package dev.prpf.par.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.base.command.ResultStream;
import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.par.chat.ChatTemplates.ChatMl;
import dev.prpf.par.engine.Golden;
import dev.prpf.par.tokenizer.SmallTokenizer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class RenderCommandTest {
    @TempDir
    Path directory;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private Exception failure = new IllegalStateException("nothing failed");
    private PrintStream before = System.out;
    private String messages = "";
    private String template = "";

    @BeforeEach
    void write() throws IOException {
        before = ResultStream.redirect(new PrintStream(out, true, StandardCharsets.UTF_8));
        messages = file("messages.json", "[{\"role\": \"user\", \"content\": \"你好 🎷\\n\"}]");
        template = file("t.jinja", ChatMl.TEMPLATE);
    }

    @AfterEach
    void restore() {
        ResultStream.redirect(before);
    }

    private String file(String name, String text) throws IOException {
        return Files.writeString(directory.resolve(name), text).toString();
    }

    private int run(String... arguments) {
        out.reset();
        List<String> all = new ArrayList<>(List.of("render"));
        all.addAll(List.of(arguments));
        CommandLine line = new CommandLine(new ReasonerCommand()).setCaseInsensitiveEnumValuesAllowed(true);
        line.setExecutionExceptionHandler((exception, command, parsed) -> {
            failure = exception;
            return exception instanceof PrpfException known ? ExitCode.of(known).status() : 1;
        });
        return line.execute(all.toArray(String[]::new));
    }

    private String text() {
        return out.toString(StandardCharsets.UTF_8);
    }

    @Test
    void thePromptAndNothingElseIsWritten() {
        assertThat(run("--template", template, "--messages", messages)).isZero();
        assertThat(text()).isEqualTo("<|im_start|>user\n你好 🎷\n<|im_end|>\n<|im_start|>assistant\n");

        assertThat(run("--template", template, "--messages", messages, "--no-generation-prompt"))
                .isZero();
        assertThat(text()).isEqualTo("<|im_start|>user\n你好 🎷\n<|im_end|>\n");
    }

    @Test
    void aModelDirectoryCarriesItsTemplate() {
        SmallTokenizer.write(directory);

        assertThat(run("--reasoner", directory.toString(), "--messages", messages))
                .isZero();
        assertThat(text()).startsWith("<|im_start|>user\n你好");
    }

    @Test
    void toolsAndThinkingReachTheTemplate() throws IOException {
        String qwen = Golden.resource("chat-templates").resolve("qwen3.jinja").toString();
        String tools = file("tools.json", "[{\"type\": \"function\", \"function\": {\"name\": \"f\"}}]");

        assertThat(run("--template", qwen, "--messages", messages, "--tools", tools, "--thinking", "off"))
                .isZero();
        assertThat(text())
                .contains("<tools>\n{\"type\": \"function\", \"function\": {\"name\": \"f\"}}\n</tools>")
                .endsWith("<|im_start|>assistant\n<think>\n\n</think>\n\n");

        assertThat(run("--template", qwen, "--messages", messages, "--thinking", "on"))
                .isZero();
        assertThat(text()).endsWith("<|im_end|>\n<|im_start|>assistant\n");
    }

    @Test
    void badInputIsOneClearErrorAndNoOutput() throws IOException {
        assertThat(run("--template", file("u.jinja", "{{ x }}"), "--messages", messages))
                .isEqualTo(ExitCode.BAD_DATA.status());
        assertThat(failure).hasMessageContaining("u.jinja: this chat template is not known");

        assertThat(run("--template", template, "--messages", file("bad.json", "[{")))
                .isEqualTo(ExitCode.BAD_DATA.status());
        assertThat(failure).hasMessageContaining("bad.json: cannot be read as JSON");

        assertThat(run("--template", template, "--messages", file("role.json", "[{\"role\": \"bot\"}]")))
                .isEqualTo(ExitCode.BAD_DATA.status());
        assertThat(failure)
                .hasMessageEndingWith("role.json: /0/role: is \"bot\", must be one of [system, user, assistant, tool]");

        assertThat(run("--reasoner", directory.resolve("none").toString(), "--messages", messages))
                .isEqualTo(ExitCode.UNAVAILABLE.status());
        assertThat(text()).isEmpty();
    }

    @Test
    void oneSourceOfTheTemplateIsNeeded() {
        assertThat(run("--messages", messages)).isEqualTo(2);
        assertThat(run("--template", template, "--reasoner", directory.toString(), "--messages", messages))
                .isEqualTo(2);
        assertThat(run("--template", template)).isEqualTo(2);
        assertThat(run("--template", template, "--messages", messages, "--thinking", "maybe"))
                .isEqualTo(2);
        assertThat(text()).isEmpty();
    }
}
