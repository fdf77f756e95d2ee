package dev.prpf.par.cascade;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.base.config.Defaults;
import dev.prpf.base.config.Rule;
import dev.prpf.base.config.StrictYaml;
import dev.prpf.base.error.PrpfException;
import dev.prpf.data.encode.EncodingCost;
import dev.prpf.data.encode.ImageFolder;
import dev.prpf.par.generate.Generation.FinishReason;
import dev.prpf.par.openai.AnswerJournal;
import dev.prpf.par.openai.ChatClient;
import dev.prpf.par.openai.ChatModel.ChatOutcome;
import dev.prpf.par.openai.ChatRequest;
import dev.prpf.par.openai.ChatRequest.ChatPart;
import dev.prpf.par.openai.ChatRequest.PromptParts;
import dev.prpf.par.openai.ChatRequest.SamplingSettings;
import dev.prpf.par.openai.RemoteUsage;
import dev.prpf.par.openai.ServerSettings;
import dev.prpf.par.prompt.PromptRenderer;
import dev.prpf.par.prompt.PromptSettings;
import dev.prpf.par.prompt.PromptSettings.PromptWording;
import dev.prpf.par.response.ParResponse;
import dev.prpf.par.response.ResponseForm;
import dev.prpf.par.response.ResponseParser;
import dev.prpf.par.response.ResponseSchema;
import dev.prpf.par.tokenizer.Piece;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A reasoner on a server with the OpenAI protocol. A missing answer throws and ends the run; it never counts as a malformed response. The journal
 * stores the answers, so that none is requested twice.
 *
 * @param client closed with the reasoner
 * @param journal closed with the reasoner; null for a server, which calls only {@link #chat} and {@link #reasoning}
 * @param renderer of the settings' prompts
 * @param images folder of the screenshots for the server's model
 * @param warned whether a malformed answer was logged; further ones are only counted
 */
public record RemoteReasoner(
        RemoteSettings settings,
        ChatClient client,
        @Nullable AnswerJournal journal,
        PromptRenderer renderer,
        ImageFolder images,
        AtomicBoolean warned)
        implements Reasoner {
    private static final Logger LOG = LoggerFactory.getLogger(RemoteReasoner.class);

    /** Creates a reasoner that has logged no malformed answer. */
    public RemoteReasoner(
            RemoteSettings settings,
            ChatClient client,
            @Nullable AnswerJournal journal,
            PromptRenderer renderer,
            ImageFolder images) {
        this(settings, client, journal, renderer, images, new AtomicBoolean());
    }

    /** Returns the model's name, and a hash over all settings that decide its answers. */
    @Override
    public String id() {
        return client.id("remote", StrictYaml.write(settings));
    }

    /**
     * {@inheritDoc} The sent requests share the call's wall clock equally; the time of an answer from the journal is unknown.
     *
     * @throws PrpfException as {@link ChatClient#ask}; earlier answers are in the journal
     */
    @Override
    public List<Reasoning> reason(List<Request> requests, Runnable answered) {
        AnswerJournal answers = Objects.requireNonNull(journal, "journal");
        List<EncodingCost.Costed<ChatRequest>> chats =
                requests.stream().map(this::chat).toList();
        List<ChatRequest> asked =
                chats.stream().map(EncodingCost.Costed::result).toList();
        List<Boolean> had =
                asked.stream().map(chat -> answers.has(client, chat)).toList();
        long start = System.nanoTime();
        List<ChatOutcome> outcomes = answers.ask(client, asked, answered);
        long sent = had.stream().filter(before -> !before).count();
        double seconds = (System.nanoTime() - start) / 1e9 / Math.max(1, sent);
        List<Reasoning> reasonings = new ArrayList<>();
        for (int i = 0; i < requests.size(); i++) {
            Double took = had.get(i) ? null : (Double) seconds;
            reasonings.add(reasoning(
                    requests.get(i), outcomes.get(i), took, chats.get(i).cost()));
        }
        warnOfMalformed(requests, reasonings);
        return List.copyOf(reasonings);
    }

    /** Warns about the reasoner's first complete answer that is malformed; further ones are only counted. */
    private void warnOfMalformed(List<Request> requests, List<Reasoning> reasonings) {
        IntStream.range(0, reasonings.size())
                .filter(i -> reasonings.get(i).finish() == FinishReason.END_TOKEN
                        && !reasonings.get(i).text().isBlank()
                        && reasonings.get(i).response() instanceof ParResponse.Malformed)
                .findFirst()
                .stream()
                .filter(i -> warned.compareAndSet(false, true))
                .forEach(i -> LOG.warn(
                        "sample {}: its answer is malformed: {}; {}; more such answers are only counted",
                        requests.get(i).sample().id(),
                        ((ParResponse.Malformed) reasonings.get(i).response()).why(),
                        settings.advice()));
    }

    /** Returns the request to the server about a sample, with the cost of its screenshots' texts. */
    public EncodingCost.Costed<ChatRequest> chat(Request request) {
        return EncodingCost.Costed.of(renderer.screens()::cost, () -> message(request));
    }

    private ChatRequest message(Request request) {
        ResponseForm form = form(request);
        List<Piece> user = renderer.user(request.sample(), request.perception(), request.candidates());
        List<ChatPart> parts =
                new ArrayList<>(new PromptParts(images, settings.prompt().maxVisualTokens())
                        .of(user, renderer.shown(request.sample())));
        if (settings.structured()) {
            parts.add(new ChatPart.Text(
                    ResponseSchema.instruction(form, settings.prompt().wording() == PromptWording.ENGLISH)));
        }
        return new ChatRequest(
                request.sample().id(),
                ChatRequest.Turn.prompt(renderer.system(), parts),
                settings.sampling(),
                settings.structuredOutput()
                        .format(
                                "response",
                                () -> ResponseSchema.of(
                                        form, request.candidates().functions())));
    }

    private ResponseForm form(Request request) {
        return ResponseForm.of(settings.prompt().reasoning(), request.sample().modality());
    }

    /**
     * Returns the reasoning of an outcome; a request without an answer counts as malformed.
     *
     * @param seconds from the request to the answer, or null if unknown
     * @param screens cost of the screenshots' texts
     */
    public Reasoning reasoning(Request request, ChatOutcome outcome, @Nullable Double seconds, EncodingCost screens) {
        String id = request.sample().id();
        if (outcome instanceof ChatOutcome.NoAnswer refusal) {
            PredictionCost cost = PredictionCost.ofAnswer(null, null, seconds, screens);
            LOG.warn("sample {}: {}; counted as malformed", id, refusal.reason());
            return new Reasoning("", new ParResponse.Malformed(0, refusal.why()), null, cost);
        }
        ChatOutcome.Answer answer = (ChatOutcome.Answer) outcome;
        PredictionCost cost =
                PredictionCost.ofAnswer(answer.promptTokens(), answer.completionTokens(), seconds, screens);
        if (answer.isCut()) {
            LOG.warn(
                    "sample {}: max-tokens = {} cut its answer off",
                    id,
                    settings.sampling().maxTokens());
        }
        String text = settings.structured() ? ResponseSchema.text(answer.text()) : answer.text();
        return new Reasoning(
                text,
                ResponseParser.parse(text, form(request)),
                answer.isCut() ? FinishReason.LENGTH : FinishReason.END_TOKEN,
                cost);
    }

    @Override
    public void close() {
        client.close();
        if (journal != null) {
            journal.close();
        }
    }

    /**
     * The settings that decide a remote reasoner's answers; the {@code reasoner:} section of its configuration.
     *
     * @param model the model's name in the server's /v1/models
     * @param sampling how answers are drawn
     * @param structuredOutput the form that the server enforces
     * @param prompt settings of prompts; {@code wording: full} or {@code english}, since the model was not trained on ours
     */
    public record RemoteSettings(
            String model, SamplingSettings sampling, StructuredOutput structuredOutput, PromptSettings prompt) {
        /** The kind of the protocol's {@code response_format} in use. */
        public enum StructuredOutput {
            /** No form: the answer is the response's text, as the prompt requests it. */
            NONE,
            /** {@code json_schema} (vLLM, SGLang, llama.cpp): the response as a JSON object that can only call the candidates. */
            JSON_SCHEMA,
            /** {@code json_object} with a {@code schema} (llama-cpp-python). */
            JSON_OBJECT;

            /** Returns the {@code response_format} of a schema, or null for {@link #NONE}. */
            public @Nullable ObjectNode format(String name, Supplier<ObjectNode> schema) {
                if (this == NONE) {
                    return null;
                }
                ObjectNode format = JsonNodeFactory.instance.objectNode();
                ObjectNode body = schema.get();
                if (this == JSON_OBJECT) {
                    format.put("type", "json_object").set("schema", body);
                } else {
                    format.put("type", "json_schema")
                            .putObject("json_schema")
                            .put("name", name)
                            .put("strict", isClosed(body))
                            .set("schema", body);
                }
                return format;
            }

            /** Returns whether no object takes other keys: OpenAI refuses {@code strict} with a schema that has an open object. */
            private static boolean isClosed(JsonNode schema) {
                boolean open = schema.path("type").asText().equals("object") && !schema.has("additionalProperties");
                return !open
                        && StreamSupport.stream(schema.spliterator(), false).allMatch(StructuredOutput::isClosed);
            }
        }

        public RemoteSettings {
            Rule.require(!model.isBlank(), "model", "\"" + model + "\"", "the model's name in the server's /v1/models");
            boolean instructs = prompt.wording() == PromptWording.FULL || prompt.wording() == PromptWording.ENGLISH;
            if (structured() && !instructs) {
                throw new IllegalArgumentException(
                        "structured-output needs prompt.wording: full or english, whose instructions it changes");
            }
        }

        /** Returns advice for answers in another form. */
        public String advice() {
            return structured()
                    ? "the server does not follow response_format, see structured-output in docs/REMOTE.md"
                    : "structured-output: json-schema makes most servers keep the form";
        }

        /** Returns whether the server enforces a form. */
        public boolean structured() {
            return structuredOutput != StructuredOutput.NONE;
        }
    }

    /**
     * A reasoner on a server: {@code configs/remote.yaml}.
     *
     * @param server its address and limits; may change when a run resumes
     * @param reasoner the settings of requests; may not change
     * @param price of its tokens, or null to omit costs in money
     */
    @Defaults(
            value = "/configs/remote.yaml",
            except = {"server.urls", "reasoner.model"})
    public record Config(ServerSettings server, RemoteSettings reasoner, RemoteUsage.@Nullable TokenPrice price) {
        /** Returns the model and its servers, for messages. */
        public String place() {
            return reasoner.model() + " at " + String.join(", ", server.urls());
        }
    }
}
