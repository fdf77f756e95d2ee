package dev.prpf.par.chat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.par.chat.ChatTemplate.Conversation;
import dev.prpf.par.chat.ChatTemplates.ChatMl;
import dev.prpf.par.engine.Golden;
import dev.prpf.par.tokenizer.SmallTokenizer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ChatTemplatesTest {
    @TempDir
    Path directory;

    private Path write(String name, String text) throws IOException {
        return Files.writeString(directory.resolve(name), text);
    }

    private static String quoted(String template) {
        return '"' + template.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }

    private void assertNotOurs(ExitCode code, String... parts) {
        assertThatThrownBy(() -> ChatTemplates.ofModel(directory))
                .isInstanceOfSatisfying(
                        PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(code))
                .hasMessageContainingAll(parts);
    }

    @ParameterizedTest
    @CsvSource({
        "qwen2_5, qwen2.5, true, false",
        "qwen3, qwen3, true, true",
        "qwen3_hub, qwen3-hub, true, true",
        "qwen3_5_think, qwen3.5-thinking, true, true",
        "qwen3_5_nothink, qwen3.5, true, true",
        "qwen2_5_vl, qwen2.5-vl, false, false",
        "smollm2, smollm2, false, false"
    })
    void aFamilyIsRecognisedByItsText(String file, String name, boolean tools, boolean thinking) {
        Path folder = Golden.resource("chat-templates");

        ChatTemplate template = ChatTemplates.ofFile(folder.resolve(file + ".jinja"));

        assertThat(template.name()).isEqualTo(name);
        assertThat(template.takesTools()).isEqualTo(tools);
        assertThat(template.takesThinking()).isEqualTo(thinking);
    }

    @Test
    void lineEndsDoNotMatterButEverythingElseDoes() throws IOException {
        Path folder = Golden.resource("chat-templates");
        String text = Files.readString(folder.resolve("qwen3.jinja")).stripTrailing();

        assertThat(ChatTemplates.of(text.replace("\n", "\r\n") + "\r\n", "t").name())
                .isEqualTo("qwen3");
        assertThat(ChatTemplates.of(text + "\n", "t").name()).isEqualTo("qwen3");
        assertThatThrownBy(() -> ChatTemplates.of(text + "\n\n", "t")).hasMessageContaining("is not known");
        assertThatThrownBy(() -> ChatTemplates.of(text.replace("assistant", "Assistant"), "t"))
                .hasMessageContaining("is not known");
    }

    /** Qwen2.5-VL's template ignores such parts without an error. */
    @Test
    void partsThatATemplateWouldLeaveOutAreRefused() throws IOException {
        ChatTemplate template = ChatTemplates.ofFile(Golden.resource("chat-templates/qwen2_5_vl.jinja"));
        JsonNode messages = new ObjectMapper().readTree("[{\"role\": \"user\", \"content\": [{\"type\": \"audio\"}]}]");
        Conversation conversation =
                new Conversation(ConversationReader.messages("messages", messages), List.of(), true, null);

        assertThatThrownBy(() -> template.render(conversation))
                .isInstanceOfSatisfying(
                        PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.BAD_DATA))
                .hasMessageContainingAll(
                        "content must be text, or a list of texts, images and videos", "{\"type\": \"audio\"}");
    }

    @Test
    void anUnknownTemplateIsRefusedByName() throws IOException {
        Path file = write("x.jinja", "{{ messages }}");

        assertThatThrownBy(() -> ChatTemplates.ofFile(file))
                .isInstanceOfSatisfying(
                        PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.BAD_DATA))
                .hasMessageStartingWith(file + ": this chat template is not known, its sha256 = "
                        + "f24189f08c85a1eb19a737306c3a13e85462ee33d964f28108d64a2485fa2171; ")
                .hasMessageContainingAll(
                        "qwen2.5 ",
                        "qwen2.5-vl ",
                        "qwen3 ",
                        "qwen3-hub ",
                        "qwen3.5 ",
                        "qwen3.5-thinking ",
                        "smollm2 ",
                        "prpf ");
        assertThatThrownBy(() -> ChatTemplates.ofFile(directory.resolve("none.jinja")))
                .hasMessageContaining("none.jinja: cannot be read as a template")
                .hasMessageEndingWith("none.jinja: no such file or folder");
        Path bytes = Files.write(directory.resolve("bytes.jinja"), new byte[] {(byte) 0xff, (byte) 0xfe});
        assertThatThrownBy(() -> ChatTemplates.ofFile(bytes))
                .hasMessage(bytes + ": cannot be read as a template: it is not UTF-8 text");
    }

    @Test
    void aModelMadeHereCarriesOurs() {
        SmallTokenizer.write(directory);

        assertThat(ChatTemplates.ofModel(directory).name()).isEqualTo("prpf");
    }

    @Test
    void theJinjaFileGoesBeforeTheConfiguration() throws IOException {
        write("tokenizer_config.json", "{\"chat_template\": \"other\"}");
        assertNotOurs(ExitCode.BAD_DATA, "tokenizer_config.json: chat_template: this chat template is not known");

        write("chat_template.jinja", ChatMl.TEMPLATE);
        assertThat(ChatTemplates.ofModel(directory).name()).isEqualTo("prpf");
    }

    @Test
    void ofSeveralNamedTemplatesTheDefaultIsTaken() throws IOException {
        write(
                "tokenizer_config.json",
                "{\"chat_template\": [{\"name\": \"rag\", \"template\": \"x\"}, {\"name\": \"default\", \"template\": "
                        + quoted(ChatMl.TEMPLATE) + "}]}");
        assertThat(ChatTemplates.ofModel(directory).name()).isEqualTo("prpf");

        write("tokenizer_config.json", "{\"chat_template\": [{\"name\": \"rag\", \"template\": \"x\"}]}");
        assertNotOurs(ExitCode.BAD_DATA, "names the templates [rag], one must be \"default\"");
    }

    @Test
    void aReasonersDirectoryWithoutATemplateIsGivenOurs() throws IOException {
        write("tokenizer_config.json", "{\"chat_template\": null}");
        assertThat(ChatTemplates.ofReasoner(directory)).isSameAs(ChatTemplates.CHATML);
        assertThat(directory.resolve("chat_template.jinja")).doesNotExist();

        ChatTemplates.complete(directory);
        assertThat(directory.resolve("chat_template.jinja")).hasContent(ChatMl.TEMPLATE);
        assertThat(ChatTemplates.ofModel(directory)).isSameAs(ChatTemplates.CHATML);

        String qwen = Files.readString(Golden.resource("chat-templates").resolve("qwen3.jinja"));
        write("chat_template.jinja", qwen);
        ChatTemplates.complete(directory);
        assertThat(ChatTemplates.ofReasoner(directory).name()).isEqualTo("qwen3");
        assertThat(directory.resolve("chat_template.jinja")).hasContent(qwen);

        write("chat_template.jinja", "{{ messages }}");
        assertThatThrownBy(() -> ChatTemplates.ofReasoner(directory))
                .hasMessageContainingAll("chat_template.jinja: this chat template is not known", "docs/TEMPLATES.md");
    }

    @Test
    void aDirectoryWithoutATemplateSaysSo() throws IOException {
        assertNotOurs(ExitCode.UNAVAILABLE, "neither chat_template.jinja nor tokenizer_config.json");

        write("tokenizer_config.json", "{}");
        assertNotOurs(ExitCode.BAD_DATA, "chat_template: is missing, must be a template's text");

        write("tokenizer_config.json", "{\"chat_template\": 3}");
        assertNotOurs(ExitCode.BAD_DATA, "chat_template: is 3, must be a template's text");

        write("tokenizer_config.json", "{");
        assertNotOurs(ExitCode.BAD_DATA, "tokenizer_config.json: cannot be read as JSON");
    }
}
