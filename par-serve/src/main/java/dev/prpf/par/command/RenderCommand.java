package dev.prpf.par.command;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.base.command.CascadePart;
import dev.prpf.base.command.ResultStream;
import dev.prpf.par.chat.ChatTemplate;
import dev.prpf.par.chat.ChatTemplate.Conversation;
import dev.prpf.par.chat.ChatTemplates;
import dev.prpf.par.chat.ConversationReader;
import dev.prpf.par.tokenizer.Piece;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code prpf reasoner render}: renders a conversation with a chat template. */
@Command(
        name = "render",
        description = {
            "Write the prompt that a chat template makes of a conversation to standard output, byte for byte.",
            "Known are the templates of Qwen2.5, Qwen3, Qwen3.5, SmolLM2 and of models made here; others are refused."
        },
        footer = {"", "Example: ./prpf reasoner render --reasoner runs/reasoner/model --messages messages.json"})
final class RenderCommand implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(RenderCommand.class);

    @ArgGroup(multiplicity = "1")
    private Source source = new Source();

    @Option(
            names = "--messages",
            required = true,
            paramLabel = "FILE",
            description = "A JSON array of messages: {\"role\", \"content\", …}.")
    private Path messages;

    @Option(names = "--tools", paramLabel = "FILE", description = "A JSON array of functions that may be called.")
    private @Nullable Path tools;

    @Option(names = "--no-generation-prompt", description = "Do not begin the assistant's next turn.")
    private boolean noGenerationPrompt;

    @Option(
            names = "--thinking",
            paramLabel = "on|off",
            description = "The template's enable_thinking (default: not given to it).")
    private @Nullable Thinking thinking;

    private static final class Source {
        @Option(names = "--template", paramLabel = "FILE", description = "The template's Jinja text.")
        private @Nullable Path template;

        @Option(
                names = "--reasoner",
                converter = CascadePart.Reasoner.class,
                paramLabel = "DIR",
                description = "A Hugging Face model directory that carries it.")
        private @Nullable Path model;
    }

    private enum Thinking {
        ON,
        OFF
    }

    @Override
    public void run() {
        ChatTemplate template = source.template == null
                ? ChatTemplates.ofModel(Objects.requireNonNull(source.model))
                : ChatTemplates.ofFile(source.template);
        List<JsonNode> functions = tools == null ? List.of() : ConversationReader.tools(tools);
        Conversation conversation = new Conversation(
                ConversationReader.messages(messages),
                functions,
                !noGenerationPrompt,
                thinking == null ? null : thinking == Thinking.ON);
        warn(template, conversation);
        ResultStream.text(Piece.text(template.render(conversation)));
    }

    private static void warn(ChatTemplate template, Conversation conversation) {
        if (conversation.usesTools() && !template.takesTools()) {
            LOG.warn("the template {} writes neither functions nor calls: they are left out", template.name());
        }
        if (conversation.thinking() != null && !template.takesThinking()) {
            LOG.warn("the template {} has no switch for thinking: --thinking changes nothing", template.name());
        }
    }
}
