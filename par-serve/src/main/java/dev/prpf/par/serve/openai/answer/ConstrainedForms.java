package dev.prpf.par.serve.openai.answer;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.par.chat.ChatTokenizer;
import dev.prpf.par.chat.ToolCallReader;
import dev.prpf.par.chat.ToolCallReader.Thinking;
import dev.prpf.par.chat.ToolCallReader.Tool;
import dev.prpf.par.constraint.JsonSchemaConstraints;
import dev.prpf.par.constraint.JsonSchemaConstraints.Compiled;
import dev.prpf.par.serve.http.ApiException;
import dev.prpf.par.serve.openai.answer.AnswerForms.AnswerDelta;
import dev.prpf.par.serve.openai.answer.AnswerForms.AnswerReader;
import dev.prpf.par.serve.openai.answer.AnswerForms.AnswerRequest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Constrains answers to JSON Schemas, choices and function calls, and reads them in the syntax of the model's family. */
public final class ConstrainedForms implements AnswerForms {
    private static final JsonNode ANY_OBJECT =
            JsonNodeFactory.instance.objectNode().put("type", "object");

    /** Number of tokens that always contain the tag at a prompt's end. */
    private static final int TAIL = 8;

    private final ChatTokenizer chat;
    private final JsonSchemaConstraints vocabulary;
    private final Map<String, JsonSchemaConstraints> tenants = new ConcurrentHashMap<>();

    /**
     * @param chat the model's tokenizer and template; the caller closes it
     * @param vocabulary number of ids of the model
     * @param endTokens of the model
     * @throws PrpfException 78 without an end token
     */
    public ConstrainedForms(ChatTokenizer chat, int vocabulary, List<Integer> endTokens) {
        this.chat = chat;
        this.vocabulary = JsonSchemaConstraints.of(chat.tokenizer(), vocabulary, endTokens);
    }

    @Override
    public AnswerForm of(AnswerRequest request) {
        long[] prompt = request.prompt();
        long[] tail = Arrays.copyOfRange(prompt, Math.max(0, prompt.length - TAIL), prompt.length);
        Thinking thinking = Thinking.after(chat.template(), chat.tokenizer().decode(tail));
        boolean called = !(request.tools().choice() instanceof ToolUse.Choice.None);
        List<Tool> tools = called ? tools(request.tools()) : List.of();
        Compiled constraint = constraint(request, thinking, tools);
        boolean free = request.tools().choice() instanceof ToolUse.Choice.Auto;
        if (constraint != null && !free) {
            requireRoom(request, constraint);
        }
        boolean several = request.tools().parallel();
        return new AnswerForm(
                constraint,
                () -> reader(new ToolCallReader(thinking, chat.template().calls(), tools, true), several));
    }

    /** Returns this tenant's compiled schemas. Shared ones would reveal other tenants' schemas by response times. */
    private JsonSchemaConstraints constraints(AnswerRequest request) {
        return tenants.computeIfAbsent(request.tenant(), unseen -> vocabulary.separate());
    }

    private static List<Tool> tools(ToolUse use) {
        List<Tool> tools = new ArrayList<>();
        for (int i = 0; i < use.names().size(); i++) {
            JsonNode parameters = use.tools().get(i).path("function").path("parameters");
            tools.add(new Tool(use.names().get(i), hasNone(parameters) ? Tool.NO_PARAMETERS : parameters));
        }
        return tools;
    }

    /** Returns whether a function has no parameters: clients and MCP servers omit them, or send null, {} or an object without properties. */
    private static boolean hasNone(JsonNode parameters) {
        return parameters.isMissingNode()
                || parameters.isNull()
                || (parameters.isObject() && parameters.isEmpty())
                || parameters.equals(ANY_OBJECT);
    }

    private @Nullable Compiled constraint(AnswerRequest request, Thinking thinking, List<Tool> tools) {
        ToolUse.Choice choice = request.tools().choice();
        boolean text = request.format() instanceof ResponseFormat.Text;
        if (!text && !(choice instanceof ToolUse.Choice.None)) {
            throw ApiException.invalid(
                    "tool_choice",
                    "tool_choice must equal none together with " + field(request.format())
                            + ": an answer is either of that format or a call");
        }
        if (choice instanceof ToolUse.Choice.Required) {
            return calls(request, thinking, tools, request.tools().parallel());
        } else if (choice instanceof ToolUse.Choice.Named named) {
            List<Tool> only = tools.stream()
                    .filter(tool -> tool.name().equals(named.name()))
                    .toList();
            return calls(request, thinking, only, false);
        } else if (choice instanceof ToolUse.Choice.Auto) {
            return compiled("tools", () -> constraints(request)
                    .calledFreely(
                            thinking,
                            chat.template().calls(),
                            tools,
                            request.tools().strict()));
        }
        return text ? null : formatted(request, thinking);
    }

    private Compiled calls(AnswerRequest request, Thinking thinking, List<Tool> tools, boolean several) {
        return compiled("tools", () -> constraints(request)
                .calls(thinking, chat.template().calls(), tools, several));
    }

    private static String field(ResponseFormat format) {
        return format instanceof ResponseFormat.Choice ? "structured_outputs" : "response_format";
    }

    private Compiled formatted(AnswerRequest request, Thinking thinking) {
        ResponseFormat format = request.format();
        JsonSchemaConstraints constraints = constraints(request);
        return compiled(field(format), () -> {
            if (format instanceof ResponseFormat.Choice choice) {
                return constraints.choice(thinking, choice.texts());
            }
            return constraints.json(
                    thinking, format instanceof ResponseFormat.JsonSchema schema ? schema.schema() : ANY_OBJECT);
        });
    }

    private static Compiled compiled(String field, Supplier<Compiled> compiler) {
        try {
            return compiler.get();
        } catch (InvalidDataException e) {
            throw ApiException.invalid(field, field + ": " + e.getMessage());
        }
    }

    private static void requireRoom(AnswerRequest request, Compiled constraint) {
        if (!request.ends()) {
            throw ApiException.invalid(
                    "ignore_eos",
                    "ignore_eos and min_tokens are not supported with a format or a call: these end by themselves");
        }
        if (constraint.shortest() > request.maxTokens()) {
            throw ApiException.invalid(
                    "max_tokens",
                    "an answer may have " + request.maxTokens()
                            + " tokens; the shortest requested one needs at most "
                            + constraint.shortest());
        }
    }

    private static AnswerReader reader(ToolCallReader reader, boolean several) {
        return new AnswerReader() {
            @Override
            public List<AnswerDelta> read(String text) {
                return deltas(reader.append(text), several);
            }

            @Override
            public List<AnswerDelta> end() {
                return deltas(reader.end(), several);
            }
        };
    }

    /** Converts parts to deltas. Without parallel calls only the first call counts, as in vLLM. */
    private static List<AnswerDelta> deltas(List<ToolCallReader.Part> parts, boolean several) {
        List<AnswerDelta> deltas = new ArrayList<>();
        for (ToolCallReader.Part part : parts) {
            if (part instanceof ToolCallReader.Part.Reasoning thought) {
                deltas.add(new AnswerDelta.Reasoning(thought.text()));
            } else if (part instanceof ToolCallReader.Part.Content said) {
                deltas.add(new AnswerDelta.Content(said.text()));
            } else if (part instanceof ToolCallReader.Part.Call call && (several || call.index() == 0)) {
                String id = call.name() == null
                        ? null
                        : "call_" + UUID.randomUUID().toString().replace("-", "");
                deltas.add(new AnswerDelta.ToolCall(call.index(), id, call.name(), call.arguments()));
            }
        }
        return deltas;
    }
}
