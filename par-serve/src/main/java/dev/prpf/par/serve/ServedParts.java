package dev.prpf.par.serve;

import dev.prpf.data.FunctionPool;
import dev.prpf.data.Sample;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.encode.EncoderSettings;
import dev.prpf.data.encode.ImageFolder;
import dev.prpf.data.encode.text.OnnxTextEncoder;
import dev.prpf.mpp.training.MppRun;
import dev.prpf.mpp.training.TrainedRun;
import dev.prpf.par.cascade.PromptedModel;
import dev.prpf.par.cascade.RemoteReasoner;
import dev.prpf.par.engine.CausalLm;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.huggingface.HuggingFaceDirectory;
import dev.prpf.par.openai.ChatClient;
import dev.prpf.par.reward.ResponseScorer;
import dev.prpf.par.serve.cascade.CascadeRoutes;
import dev.prpf.par.serve.cascade.LocalServedReasoner;
import dev.prpf.par.serve.cascade.MomentReader;
import dev.prpf.par.serve.cascade.PareRole;
import dev.prpf.par.serve.cascade.PerceiverService;
import dev.prpf.par.serve.cascade.RemoteServedReasoner;
import dev.prpf.par.serve.cascade.ServedCascade;
import dev.prpf.par.serve.cascade.ServedReasoner;
import dev.prpf.par.serve.generation.GenerationService;
import dev.prpf.par.serve.generation.GenerationService.ServiceSettings;
import dev.prpf.par.serve.generation.ServedModel;
import dev.prpf.par.serve.http.ApiKeys;
import dev.prpf.par.serve.http.ApiServer;
import dev.prpf.par.serve.http.FairGate;
import dev.prpf.par.serve.http.KeyShare;
import dev.prpf.par.serve.http.RequestBody;
import dev.prpf.par.serve.http.Routes;
import dev.prpf.par.serve.http.ServerMetrics;
import dev.prpf.par.serve.openai.ChatRole;
import dev.prpf.par.serve.openai.OpenAiRoutes;
import dev.prpf.par.serve.openai.OpenAiRoutes.EmbeddingModel;
import dev.prpf.par.serve.page.OpenApiRoutes;
import dev.prpf.par.serve.page.PageRoutes;
import dev.prpf.par.serve.policy.InterventionPolicy;
import dev.prpf.par.serve.policy.UserPolicies;
import dev.prpf.par.serve.policy.UserRoutes;
import dev.prpf.par.serve.reward.RewardRoutes;
import dev.prpf.par.vision.ModelVisionEncoder;
import dev.prpf.par.vision.PromptImageReader;
import dev.prpf.par.vision.VisionConfig;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The loaded components of a server with their routes; closed together. */
public final class ServedParts implements AutoCloseable {
    /** Number of acting examples that the gate scores. */
    private static final int MAX_TRIED = 20;

    private final Places places;
    private final ServeConfig config;
    private final ServerMetrics metrics;
    private final List<Routes> routes = new ArrayList<>();
    private final Deque<AutoCloseable> closing = new ArrayDeque<>();
    private final @Nullable ChatClient remote;
    private final @Nullable ServedModel model;
    private final String embeddings;
    private final @Nullable PerceiverService perceiver;
    private @Nullable UserPolicies users;
    private List<ChatRole> roles = List.of();

    /**
     * Paths of the components; a component with a null path is not served.
     *
     * @param mpp the perceiver's run
     * @param par the reasoner's model directory
     * @param remote a reasoner on a server instead
     * @param reward the samples that responses are scored against
     * @param threshold τ in place of the run's own, or null
     * @param dtype of the reasoner's weights
     * @param policies a file or a folder of users' policies; null without policies
     * @param names of the reasoner for clients; empty for its folder's name
     * @param examples labelled text records of the functions; empty without any
     */
    public record Places(
            @Nullable Path mpp,
            @Nullable Path par,
            RemoteReasoner.@Nullable Config remote,
            @Nullable ResponseScorer reward,
            FunctionPool pool,
            ScenarioCatalog catalog,
            @Nullable Double threshold,
            Precision dtype,
            @Nullable Path policies,
            List<String> names,
            List<Sample> examples) {
        /** Returns whether it has a cascade: a gate, a reasoner or both. */
        public boolean answers() {
            return mpp != null || par != null || remote != null;
        }

        private @Nullable TrainedRun run() {
            return mpp == null ? null : MppRun.trained(mpp);
        }

        /** Returns τ; 0 without a gate. */
        public double tau() {
            return tau(run());
        }

        private double tau(@Nullable TrainedRun run) {
            if (threshold != null) {
                return threshold;
            }
            return run == null ? 0 : run.threshold().threshold();
        }

        /** Returns the model's name: the run's name for RUN/model, the folder that training writes. */
        private static String nameOf(Path par) {
            Path whole = par.toAbsolutePath().normalize();
            Path name = whole.getFileName();
            boolean unnamed = name != null && name.toString().equals("model") && whole.getNameCount() > 1;
            return String.valueOf(unnamed ? whole.getName(whole.getNameCount() - 2) : name);
        }
    }

    /** A loaded reasoner, to answer clients and to write the cascade's responses. */
    private record Loaded(ServedModel model, PromptedModel policy) {}

    private ServedParts(Places places, ServeConfig config, ApiKeys keys) {
        this.places = places;
        this.config = config;
        metrics = new ServerMetrics(keys);
        try {
            remote = places.remote() == null ? null : connect(places.remote());
            Loaded reasoner = places.par() == null ? null : openModel(places.par());
            model = reasoner == null ? null : reasoner.model;
            perceiver = addCascade(reasoner, openPolicies(keys));
            embeddings = addOpenAi();
            addReward();
            List<Sample> shown = keys.required() ? List.of() : places.examples(); // records are not for every client
            routes.add(new PageRoutes(places.pool(), places.catalog(), about(), shown));
            routes.add(new OpenApiRoutes());
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    /**
     * Loads the server's components. If one fails, the components loaded before are closed.
     *
     * @param keys API keys that share the components
     * @throws dev.prpf.base.error.PrpfException as the components' own
     */
    public static ServedParts open(Places places, ServeConfig config, ApiKeys keys) {
        return new ServedParts(places, config, keys);
    }

    /** Returns a client, after the check that each server that is up has the model. */
    private ChatClient connect(RemoteReasoner.Config config) {
        ChatClient client =
                closed(new ChatClient(config.server(), config.reasoner().model(), System.getenv(), () -> false));
        client.check();
        return client;
    }

    private Loaded openModel(Path par) {
        List<String> names = places.names().isEmpty() ? List.of(Places.nameOf(par)) : places.names();
        PromptedModel policy = closed(PromptedModel.open(par));
        CausalLm decoder = closed(policy.directory().decoder(places.dtype()));
        GenerationService service = closed(new GenerationService(decoder, config.generation(), metrics, names.get(0)));
        PromptImageReader images = images(policy, places.dtype());
        ServedModel served = new ServedModel(
                names, policy.chat().seeing(images), policy.directory().generationDefaults(), service, Instant.now());
        Integer most = policy.provenance().prompt().maxVisualTokens();
        PromptedModel prompted = new PromptedModel(
                policy.directory(),
                policy.provenance(),
                policy.chat().seeing(most == null ? images : images.within(most)),
                policy.sight());
        return new Loaded(served, prompted);
    }

    /**
     * Returns the model's vision encoder, if it has a complete one.
     *
     * @throws dev.prpf.base.error.PrpfException if its prompts show images: 78 without a vision encoder, 65 or 69 if it is incomplete
     */
    private PromptImageReader images(PromptedModel policy, Precision dtype) {
        HuggingFaceDirectory directory = policy.directory();
        boolean needed = policy.provenance().prompt().screenshots().showsImages();
        if (needed) {
            directory.requiredVision("prompt.screenshots");
        }
        ModelVisionEncoder sight =
                needed ? directory.visionEncoder(dtype, null) : directory.visionEncoderIfWhole(dtype);
        if (sight == null) {
            VisionConfig vision = directory.vision();
            return vision == null
                    ? PromptImageReader.BLIND
                    : PromptImageReader.blind(vision.tokens().image());
        }
        return new PromptImageReader(closed(sight), sight.placeholder(), new ImageFolder(null), 0);
    }

    /** Opens the policies of {@code --policy}. Without any, a server without keys keeps feedback in a temporary folder, and nothing limits its answers. */
    private InterventionPolicy openPolicies(ApiKeys keys) {
        Path files = places.policies();
        if (files == null && (keys.required() || !places.answers())) {
            routes.add(UserRoutes.missing());
            return InterventionPolicy.none();
        }
        KeyShare share = metrics.share(config.policy().maxDatabaseBytes());
        Clock clock = Clock.systemUTC();
        UserPolicies policies = closed(
                files == null
                        ? UserPolicies.temporary(config.policy(), share, clock)
                        : UserPolicies.open(files, config.policy(), share, clock));
        users = policies;
        MomentReader reader = new MomentReader(config.http(), config.cascade());
        routes.add(new UserRoutes(policies, places.pool(), reader::sample, new RequestBody(config.http()), metrics));
        return files == null ? InterventionPolicy.none() : policies;
    }

    /** Names the parts for the page, without the paths of this machine. */
    private PageRoutes.About about() {
        Path run = places.mpp() == null ? null : places.mpp().toAbsolutePath().normalize();
        int depth = run == null ? 0 : run.getNameCount();
        RemoteReasoner.Config server = places.remote();
        String local = model == null ? null : model.names().get(0);
        return new PageRoutes.About(
                run == null ? null : run.subpath(Math.max(0, depth - 2), depth).toString(),
                server == null ? local : server.reasoner().model(),
                users == null ? "none" : places.policies() == null ? "temporary" : "kept");
    }

    /** Adds the routes of OpenAI's API; returns the name of the text encoder. */
    private String addOpenAi() {
        EncoderSettings settings = PerceiverService.encoder(places.run());
        OnnxTextEncoder encoder = closed(perceiver == null ? alone(settings) : perceiver.textEncoder());
        EmbeddingModel embedding = new EmbeddingModel(settings.textEncoder(), encoder);
        routes.add(new OpenAiRoutes(model, roles, embedding, new RequestBody(config.http()), metrics));
        return settings.textEncoder();
    }

    /** Creates a text encoder that loads its model with the first text. */
    private static OnnxTextEncoder alone(EncoderSettings settings) {
        return new OnnxTextEncoder(
                settings.textEncoderSpec(),
                new OnnxTextEncoder.Running(settings.precision(), settings.longText(), settings.threads(), true));
    }

    /** Adds the cascade's routes; returns its perceiver, or null if there is no cascade. */
    private @Nullable PerceiverService addCascade(@Nullable Loaded loaded, InterventionPolicy interventions) {
        if (!places.answers()) {
            routes.add(CascadeRoutes.missing());
            return null;
        }
        TrainedRun run = places.run();
        PerceiverService service = closed(PerceiverService.open(run, places.catalog(), config.cascade(), metrics));
        ServedReasoner reasoner = reasoner(loaded, service);
        ServedCascade cascade = new ServedCascade(
                new ServedCascade.Parts(
                        service, reasoner, places.pool(), places.catalog(), places.tau(run), interventions),
                config.cascade());
        roles = PareRole.of(cascade, config.cascade(), config.roles());
        CascadeRoutes answering = closed(new CascadeRoutes(
                cascade, new CascadeRoutes.Limits(config.http(), config.cascade(), config.sessions()), metrics));
        if (users != null) {
            users.onErase(answering::forget);
        }
        routes.add(answering);
        return service;
    }

    private @Nullable ServedReasoner reasoner(@Nullable Loaded loaded, PerceiverService service) {
        if (places.remote() != null && remote != null) {
            ServiceSettings limits = config.generation();
            return new RemoteServedReasoner(
                    places.remote().reasoner(),
                    remote,
                    places.catalog(),
                    service,
                    new FairGate.Limits(
                            metrics.share(Math.min(
                                    limits.maxSequences(),
                                    places.remote().server().concurrency())),
                            limits.queue(),
                            Duration.ofSeconds(limits.requestTimeout())));
        }
        return loaded == null
                ? null
                : new LocalServedReasoner(
                        loaded.policy, loaded.model.service(), places.catalog(), service, config.cascade());
    }

    private void addReward() {
        ResponseScorer scorer = places.reward();
        routes.add(
                scorer == null
                        ? RewardRoutes.missing()
                        : new RewardRoutes(scorer, config.reward(), new RequestBody(config.http()), metrics));
    }

    private <T extends AutoCloseable> T closed(T part) {
        closing.push(part);
        return part;
    }

    /** Returns the name of the text encoder for embeddings, which is always served. */
    public String embeddings() {
        return embeddings;
    }

    /** Scores examples and returns the first acting one that the gate lets through; null if no example passes. */
    public @Nullable Sample triggering() {
        return places.examples().stream()
                .filter(Sample::wantsIntervention)
                .limit(MAX_TRIED)
                .filter(sample -> perceiver == null
                        || !perceiver.perceives()
                        || perceiver.perceive(sample).perception().triggers(places.tau()))
                .findFirst()
                .orElse(null);
    }

    /** Returns the metrics of all components. */
    public ServerMetrics metrics() {
        return metrics;
    }

    /** Returns the routes of all components. */
    public List<Routes> routes() {
        return List.copyOf(routes);
    }

    /**
     * Returns the longest time to stop after a signal, without a forward pass of the reasoner. Work that has not ended by then is left to the end of
     * the process. packaging/prpf.service must wait longer.
     */
    public static Duration longestStop(ServeConfig config) {
        return Duration.ofSeconds(config.http().drainTimeout())
                .plus(ApiServer.LAST_STEPS)
                .plus(PerceiverService.LONGEST_END)
                .plus(OnnxTextEncoder.LONGEST_END);
    }

    /** Returns whether all components still work. */
    public boolean works() {
        return model == null || model.service().works();
    }

    /** Keeps the components open until the process ends, because requests still use their native memory. */
    public void leaveOpen() {
        closing.clear();
    }

    @Override
    public void close() {
        while (!closing.isEmpty()) {
            try {
                closing.pop().close();
            } catch (Exception e) {
                throw new IllegalStateException("a part could not be closed", e);
            }
        }
    }
}
