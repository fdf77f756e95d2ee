package dev.prpf.par.serve.cascade;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.data.encode.EncoderSettings;
import dev.prpf.data.encode.SampleEncoder;
import dev.prpf.data.encode.SampleEncoders;
import dev.prpf.data.encode.spec.EncoderSpec.EncoderPrecision;
import dev.prpf.data.encode.spec.EncoderSpec.LongText;
import dev.prpf.data.encode.store.EmbeddingStore.StorePlace;
import dev.prpf.mpp.Perceiver;
import dev.prpf.mpp.calibration.ProbabilityCalibration;
import dev.prpf.mpp.network.definition.JointLoss;
import dev.prpf.mpp.network.definition.NetworkShape;
import dev.prpf.mpp.network.host.HostEngine;
import dev.prpf.mpp.network.host.ParameterStore;
import dev.prpf.mpp.perceive.MppDescription;
import dev.prpf.mpp.perceive.MppModel;
import dev.prpf.mpp.perceive.MppPerceiver;
import dev.prpf.mpp.perceive.StreamingPerceiver;
import dev.prpf.par.cascade.PromptedModel;
import dev.prpf.par.chat.ChatTemplates;
import dev.prpf.par.engine.AttentionShape;
import dev.prpf.par.engine.CausalLm;
import dev.prpf.par.engine.DecoderWeights;
import dev.prpf.par.engine.ModelInit;
import dev.prpf.par.engine.TinyModels;
import dev.prpf.par.huggingface.HuggingFaceDirectory;
import dev.prpf.par.prompt.PromptProvenance;
import dev.prpf.par.prompt.PromptSettings;
import dev.prpf.par.prompt.Prompts;
import dev.prpf.par.serve.cascade.CascadeSettings.SessionSettings;
import dev.prpf.par.serve.generation.GenerationService;
import dev.prpf.par.serve.generation.GenerationService.ServiceSettings;
import dev.prpf.par.serve.http.ApiKeys;
import dev.prpf.par.serve.http.ApiServer;
import dev.prpf.par.serve.http.HttpSettings;
import dev.prpf.par.serve.http.ServerMetrics;
import dev.prpf.par.serve.policy.InterventionPolicy;
import dev.prpf.par.tokenizer.SmallTokenizer;
import dev.prpf.par.tokenizer.Tokenizer;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A random perceiver with real encoders, and a random reasoner of three functions. */
final class CascadeWorld {
    static final ObjectMapper JSON = new ObjectMapper();
    static final CascadeSettings SETTINGS = new CascadeSettings(2, 200, true, 8, 2000, 4, 30, 4, false);
    static final HttpSettings HTTP = new HttpSettings(4, 32, 8, 400_000, 3, 16, 20, 0, 5, List.of());
    static final SessionSettings SESSIONS = new SessionSettings(600, 2, 3, 5, 1, 2);
    private static final NetworkShape SHAPE = new NetworkShape(
            new NetworkShape.Inputs(512, 0, false),
            new NetworkShape.Window(2, 6, 6),
            new NetworkShape.Transformer(32, 4, 1, 64, 0),
            NetworkShape.Channels.BOTH,
            Prompts.CATALOG.size());
    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    private CascadeWorld() {}

    /** Creates the perceiver; its images are below a root, if there is one. */
    static PerceiverService.Parts perceiver(@Nullable Path images) {
        EncoderSettings settings =
                new EncoderSettings(EncoderPrecision.INT8, LongText.TRUNCATE, 1, Path.of("never-made"), images);
        StorePlace.Memory memory = new StorePlace.Memory(1 << 20);
        SampleEncoders encoders = new SampleEncoders(settings, wanted -> SampleEncoder.openInMemory(wanted, memory));
        encoders.countEarly();
        SampleEncoder encoder = encoders.first();
        MppDescription description = new MppDescription(
                SHAPE,
                new JointLoss(2, 0.5, 0.5),
                Prompts.CATALOG.names(),
                encoder.textEncoderId(),
                encoder.imageEncoderId());
        MppModel model = new MppModel(
                description, new HostEngine(ParameterStore.initial(SHAPE, 5)), new ProbabilityCalibration.None());
        Perceiver perceiver = new MppPerceiver("mpp", List.of(model), sample -> 0, encoder, Prompts.CATALOG);
        return new PerceiverService.Parts(perceiver, new StreamingPerceiver(model, encoder, Prompts.CATALOG), encoders);
    }

    static PerceiverService service(PerceiverService.Parts parts) {
        return new PerceiverService(parts, SETTINGS, new ServerMetrics());
    }

    /** A reasoner with its components. */
    record Model(Path folder, PromptedModel policy, CausalLm decoder, GenerationService generations)
            implements AutoCloseable {
        /** Random weights in an empty folder. */
        static Model random(Path folder, long seed) throws IOException {
            return random(folder, seed, Prompts.brief());
        }

        static Model random(Path folder, long seed, PromptSettings prompt) throws IOException {
            int vocabulary = SmallTokenizer.write(folder);
            try (Tokenizer tokenizer = Tokenizer.load(folder)) {
                List<Integer> end = List.of(Math.toIntExact(tokenizer.controlToken("<|im_end|>")));
                try (DecoderWeights weights = ModelInit.random(
                        TinyModels.llama(vocabulary, 16, 32, 1, AttentionShape.of(2, 1, 8, 10_000), 768, true, end),
                        seed)) {
                    HuggingFaceDirectory.write(folder, weights, null);
                }
                PromptProvenance.of(prompt, ChatTemplates.CHATML, tokenizer.sha256())
                        .write(folder);
            }
            PromptedModel policy = PromptedModel.open(folder);
            CausalLm decoder = policy.directory().decoder(dev.prpf.par.engine.Precision.FP32);
            GenerationService generations = new GenerationService(
                    decoder, new ServiceSettings(1, 768, 256, 1, 3, 60), new ServerMetrics(), "tiny");
            return new Model(folder, policy, decoder, generations);
        }

        ServedReasoner reasoner(PerceiverService perceiver) {
            return new LocalServedReasoner(policy, generations, Prompts.CATALOG, perceiver, SETTINGS);
        }

        @Override
        public void close() {
            generations.close();
            decoder.close();
            policy.close();
        }
    }

    /** A server of these parts; τ is 0.5. */
    static Served serve(
            PerceiverService perceiver, @Nullable ServedReasoner reasoner, InterventionPolicy policy, ApiKeys keys) {
        ServedCascade cascade = new ServedCascade(
                new ServedCascade.Parts(perceiver, reasoner, Prompts.POOL, Prompts.CATALOG, 0.5, policy), SETTINGS);
        ServerMetrics metrics = new ServerMetrics();
        CascadeRoutes routes = new CascadeRoutes(cascade, new CascadeRoutes.Limits(HTTP, SETTINGS, SESSIONS), metrics);
        ApiServer server =
                ApiServer.start(new ApiServer.Place("127.0.0.1", 0, keys), HTTP, metrics, List.of(routes), () -> true);
        return new Served(server, routes);
    }

    /** A running server with its routes. */
    record Served(ApiServer server, CascadeRoutes routes) implements AutoCloseable {
        HttpResponse<String> post(String path, String body, String... headers) {
            HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(server.address() + path))
                    .header("Content-Type", "application/json")
                    .POST(BodyPublishers.ofString(body));
            return send(
                    headers.length == 0
                            ? request.build()
                            : request.headers(headers).build());
        }

        HttpResponse<String> delete(String path) {
            return send(HttpRequest.newBuilder(URI.create(server.address() + path))
                    .DELETE()
                    .build());
        }

        String get(String path) {
            return send(HttpRequest.newBuilder(URI.create(server.address() + path))
                            .build())
                    .body();
        }

        private static HttpResponse<String> send(HttpRequest request) {
            try {
                return CLIENT.send(request, BodyHandlers.ofString());
            } catch (IOException | InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }

        /** The object that a request is answered with. */
        JsonNode ask(String path, JsonNode body, String... headers) {
            HttpResponse<String> answer = post(path, body.toString(), headers);
            if (answer.statusCode() != 200) {
                throw new AssertionError(answer.statusCode() + " " + answer.body());
            }
            return json(answer.body());
        }

        @Override
        public void close() {
            server.close();
            routes.close();
        }
    }

    static JsonNode json(String text) {
        try {
            return JSON.readTree(text);
        } catch (IOException e) {
            throw new IllegalStateException(text, e);
        }
    }

    /** Returns the body of a sample. */
    static ObjectNode moment(String profile, String... steps) {
        ObjectNode body = JSON.createObjectNode()
                .put("profile", profile)
                .put("phone", "电量 80%")
                .put("world", "18:30，下雨");
        for (String step : steps) {
            body.withArray("trace").add(step);
        }
        return body;
    }
}
