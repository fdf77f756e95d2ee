package dev.prpf.par.serve.openai;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import dev.prpf.data.encode.text.TextEncoder.TokenEncoder;
import dev.prpf.par.serve.generation.ServedModel;
import dev.prpf.par.serve.http.ApiException;
import dev.prpf.par.serve.http.ApiServer;
import dev.prpf.par.serve.http.HttpSettings;
import dev.prpf.par.serve.http.RequestBody;
import dev.prpf.par.serve.http.RequestFields;
import dev.prpf.par.serve.http.Routes;
import dev.prpf.par.serve.http.ServerMetrics;
import dev.prpf.par.tokenizer.Tokenizer;
import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Routes of OpenAI's API, and vLLM's for tokens. */
public final class OpenAiRoutes implements Routes {
    private static final String OWNER = "prpf";
    private static final String CHAT = "/v1/chat/completions";
    private static final String MISSING = "this server was started without a reasoner";

    private final @Nullable ServedModel reasoner;
    private final List<ChatRole> roles;
    private final EmbeddingModel encoder;
    private final RequestBody bodies;
    private final ServerMetrics metrics;
    private final Instant started = Instant.now();

    /**
     * @param reasoner null if not served: its paths then answer 503
     * @param roles answer the chats for their names
     */
    public OpenAiRoutes(
            @Nullable ServedModel reasoner,
            List<ChatRole> roles,
            EmbeddingModel encoder,
            RequestBody bodies,
            ServerMetrics metrics) {
        this.reasoner = reasoner;
        this.roles = List.copyOf(roles);
        this.encoder = encoder;
        this.bodies = bodies;
        this.metrics = metrics;
    }

    /** Answers a body; runs the last argument once every known field was read. */
    private interface Handler {
        void answer(Context context, RequestFields body, Runnable read);
    }

    @Override
    public void add(RoutesConfig routes) {
        routes.get("/v1/models", context -> ApiServer.answer(context, 200, new ModelList("list", models())));
        routes.get("/v1/models/<id>", this::model);
        EmbeddingHandler embeddings = new EmbeddingHandler(encoder, EmbeddingHandler.Limits.DEFAULT, metrics);
        post(routes, "/v1/embeddings", embeddings::answer);
        if (reasoner == null) {
            if (roles.isEmpty()) {
                Routes.missing(MISSING, "POST " + CHAT).add(routes);
            } else {
                chats(routes, (context, body, read) -> {
                    throw ApiException.unavailable(null, MISSING);
                });
            }
            Routes.missing(MISSING, "POST /v1/completions", "POST /tokenize", "POST /detokenize")
                    .add(routes);
            return;
        }
        TokenTexts texts = new TokenTexts(reasoner.chat().tokenizer());
        TokenizeHandler tokens = new TokenizeHandler(reasoner, texts, bodies.limits());
        AnswerForms forms = new AnswerForms(reasoner);
        chats(routes, new ChatHandler(reasoner, texts, forms, bodies.limits())::answer);
        post(routes, "/v1/completions", new CompletionHandler(reasoner, texts)::answer);
        post(routes, "/tokenize", tokens::tokenize);
        post(routes, "/detokenize", tokens::detokenize);
    }

    private void post(RoutesConfig routes, String path, Handler handler) {
        routes.post(path, context -> {
            RequestFields body = bodies.fields(context);
            handler.answer(context, body, () -> metrics.ignored(path, body));
        });
    }

    /** Adds the chat route: a role answers requests with its name, the handler all others. */
    private void chats(RoutesConfig routes, Handler others) {
        post(routes, CHAT, (context, body, read) -> {
            ChatRole role = roles.stream()
                    .filter(one -> one.name().equals(body.text("model")))
                    .findFirst()
                    .orElse(null);
            if (role == null) {
                others.answer(context, body, read);
            } else {
                new RoleAnswer(context, role).answer(body, read);
            }
        });
    }

    private record ModelList(String object, List<Model> data) {}

    /** Input and output modalities in llama.cpp's format. */
    private record Architecture(List<String> inputModalities, List<String> outputModalities) {
        static Architecture of(boolean sees) {
            return new Architecture(sees ? List.of("text", "image") : List.of("text"), List.of("text"));
        }
    }

    /**
     * A model of the list.
     *
     * @param maxModelLen maximum tokens of prompt and answer together; absent for a role or an encoder
     * @param architecture whether the model takes images; absent for a role or an encoder
     */
    private record Model(
            String id,
            String object,
            long created,
            String ownedBy,
            @JsonInclude(Include.NON_NULL) @Nullable String root,
            @JsonInclude(Include.NON_NULL) @Nullable Integer maxModelLen,
            @JsonInclude(Include.NON_NULL) @Nullable Architecture architecture) {}

    private List<Model> models() {
        List<Model> models = new ArrayList<>();
        if (reasoner != null) {
            long created = reasoner.created().getEpochSecond();
            int positions = reasoner.service().positions();
            Architecture architecture = Architecture.of(reasoner.sees());
            reasoner.names()
                    .forEach(name -> models.add(
                            new Model(name, "model", created, OWNER, reasoner.id(), positions, architecture)));
        }
        roles.forEach(
                role -> models.add(new Model(role.name(), "model", started.getEpochSecond(), OWNER, null, null, null)));
        models.add(new Model(encoder.name(), "model", started.getEpochSecond(), OWNER, null, null, null));
        return models;
    }

    private void model(Context context) {
        String id = context.pathParam("id");
        Model found = models().stream()
                .filter(model -> model.id().equals(id))
                .findFirst()
                .orElseThrow(() -> ApiException.notFound(
                        "model", "model_not_found", "the model \"" + id + "\" is not served here"));
        ApiServer.answer(context, 200, found);
    }

    /**
     * A frozen text encoder of the API. Does not own the encoder.
     *
     * @param name in requests
     * @param encoder thread-safe; the caller closes it
     */
    public record EmbeddingModel(String name, TokenEncoder encoder) {}

    /** Handles vLLM's {@code POST /tokenize} and {@code POST /detokenize}. */
    record TokenizeHandler(ServedModel model, TokenTexts texts, HttpSettings limits) {
        private record Tokens(
                int count,
                int maxModelLen,
                List<Long> tokens,
                @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable List<String> tokenStrs) {}

        private record Text(String prompt) {}

        /** Tokenizes a {@code prompt}, or {@code messages} in the model's template. */
        void tokenize(Context context, RequestFields body, Runnable read) {
            Tokens tokens = ApiServer.read(context, () -> tokens(body));
            read.run();
            ApiServer.answer(context, 200, tokens);
        }

        private Tokens tokens(RequestFields body) {
            model.requireNamed(body.text("model"));
            body.refuse("chat_template", ": the model has its own");
            String prompt = body.text("prompt");
            boolean special = body.flag("add_special_tokens", prompt != null);
            boolean names = body.flag("return_token_strs", false);
            if ((prompt == null) == (body.json("messages") == null)) {
                throw ApiException.invalid("prompt", "one of prompt and messages must be given");
            }
            if (prompt != null) {
                GenerationFields.requireShort(model, prompt.length(), "prompt");
            }
            Tokenizer tokenizer = model.chat().tokenizer();
            long[] ids = prompt == null
                    ? ChatCompletionRequest.prompt(body, model, ChatCompletionRequest.tools(body, model), limits)
                            .ids()
                    : special ? tokenizer.encodeFirst(prompt) : tokenizer.encodePlain(prompt);
            List<Long> tokens = Arrays.stream(ids).boxed().toList();
            List<String> written =
                    names ? Arrays.stream(ids).mapToObj(texts::text).toList() : null;
            return new Tokens(ids.length, model.service().positions(), tokens, written);
        }

        /** Decodes the field {@code tokens}, with special tokens, as in vLLM. */
        void detokenize(Context context, RequestFields body, Runnable read) {
            model.requireNamed(body.text("model"));
            body.required("tokens");
            long[] ids = GenerationFields.ids(body, "tokens", model.service().vocabularySize()).stream()
                    .mapToLong(Integer::longValue)
                    .toArray();
            read.run();
            Text text = ApiServer.read(
                    context, () -> new Text(model.chat().tokenizer().decode(ids)));
            ApiServer.answer(context, 200, text);
        }
    }
}
