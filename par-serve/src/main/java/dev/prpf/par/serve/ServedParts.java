package dev.prpf.par.serve;

import dev.prpf.data.FunctionPool;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.par.cascade.Policy;
import dev.prpf.par.engine.CausalLm;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.serve.generation.GenerationService;
import dev.prpf.par.serve.generation.ServedModel;
import dev.prpf.par.serve.http.Routes;
import dev.prpf.par.serve.http.ServerMetrics;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a server serves, loaded, with its paths; closed together. */
public final class ServedParts implements AutoCloseable {
    private final ServerMetrics metrics = new ServerMetrics();
    private final List<Routes> wings = new ArrayList<>();
    private final Deque<AutoCloseable> closing = new ArrayDeque<>();
    private @Nullable ServedModel model;

    /**
     * Where the parts lie; what is null is not served.
     *
     * @param mpp the perceiver's run
     * @param par the reasoner's model directory
     * @param gold labelled samples to reward against
     * @param pool the functions
     * @param catalog the scenarios
     * @param threshold τ in place of the run's own, or null
     * @param dtype of the reasoner's weights
     * @param names that clients may call the reasoner by; empty for its folder's
     */
    public record Places(
            @Nullable Path mpp,
            @Nullable Path par,
            @Nullable Path gold,
            FunctionPool pool,
            ScenarioCatalog catalog,
            @Nullable Double threshold,
            Precision dtype,
            List<String> names) {
        public Places {
            names = List.copyOf(names);
        }

        /** A training writes its model to RUN/model: then the run's name says more. */
        private static String nameOf(Path par) {
            Path whole = par.toAbsolutePath().normalize();
            Path name = whole.getFileName();
            boolean unnamed = name != null && name.toString().equals("model") && whole.getNameCount() > 1;
            return String.valueOf(unnamed ? whole.getName(whole.getNameCount() - 2) : name);
        }
    }

    private ServedParts() {}

    /**
     * Loads them; where one is refused, those before it are closed.
     *
     * @throws dev.prpf.base.error.PrpfException as the parts' own
     */
    public static ServedParts open(Places places, ServeConfig config) {
        ServedParts parts = new ServedParts();
        try {
            if (places.par() != null) {
                parts.openModel(places.par(), places, config);
            }
            return parts;
        } catch (RuntimeException e) {
            parts.close();
            throw e;
        }
    }

    private void openModel(Path par, Places places, ServeConfig config) {
        List<String> names = places.names().isEmpty() ? List.of(Places.nameOf(par)) : places.names();
        Policy policy = closed(Policy.open(par));
        CausalLm decoder = closed(policy.directory().decoder(places.dtype()));
        GenerationService service =
                closed(new GenerationService(decoder, config.generation(), metrics.registry(), names.get(0)));
        model = new ServedModel(names, policy.chat(), policy.directory().generationDefaults(), service, Instant.now());
    }

    private <T extends AutoCloseable> T closed(T part) {
        closing.push(part);
        return part;
    }

    /** What they count. */
    public ServerMetrics metrics() {
        return metrics;
    }

    /** Their paths. */
    public List<Routes> wings() {
        return List.copyOf(wings);
    }

    /** Whether all still work. */
    public boolean works() {
        return model == null || model.service().works();
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
