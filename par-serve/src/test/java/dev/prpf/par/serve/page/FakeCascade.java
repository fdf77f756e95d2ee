package dev.prpf.par.serve.page;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.FunctionSpec;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.io.FunctionPoolFile;
import dev.prpf.data.io.ScenarioCatalogReader;
import dev.prpf.par.serve.ServeConfig;
import dev.prpf.par.serve.http.ApiException;
import dev.prpf.par.serve.http.ApiServer;
import dev.prpf.par.serve.http.EventStream;
import dev.prpf.par.serve.http.RequestBody;
import dev.prpf.par.serve.http.RequestFields;
import dev.prpf.par.serve.http.Routes;
import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Answers as the cascade does, without a model: the longer the trajectory, the likelier that help is wanted. */
final class FakeCascade implements Routes {
    static final FunctionPool POOL = FunctionPoolFile.shipped();
    static final ScenarioCatalog CATALOG = ScenarioCatalogReader.shipped();
    static final PageRoutes.About ABOUT = new PageRoutes.About("runs/gate", "tiny", "temporary");
    /** Names no part, so that the page runs no example by itself. */
    static final PageRoutes.About NAMELESS = new PageRoutes.About(null, null, "kept");

    static final String THINKING = "The clinic has opened its list. The user wants a specialist. ";
    private static final double TAU = 0.52;
    private static final List<String> DELTAS =
            List.of("The clinic has opened", " its list. The user", " wants a specialist. ");

    /** The recommendations of the reasoner. */
    volatile List<Map<String, Object>> recommendations = List.of(recommendation("预约今天晚上10点的耳鼻喉科号"));

    volatile List<String> thinking = DELTAS;

    /** Replaces the scenario names, as a catalogue of somebody else's might. */
    volatile String scenarioPrefix = "";

    /** Why the policy keeps silent; null where it does not. */
    volatile @Nullable String silence;

    /** Thrown in place of an answer, before it begins. */
    volatile @Nullable ApiException refusal;

    /** Why feedback leaves no record; null where it does, blank where the answer does not say. */
    volatile @Nullable String notKept;

    /** Sent as an event after the perception; null for no failure. */
    volatile @Nullable ApiException failure;

    /** Whether the stream ends after its first event. */
    volatile boolean cut;

    /** The last question to a session. */
    volatile @Nullable String question;

    /** One permit for each event after the perception. */
    volatile Semaphore pace = new Semaphore(Integer.MAX_VALUE);

    final List<JsonNode> asked = new CopyOnWriteArrayList<>();
    final List<JsonNode> feedback = new CopyOnWriteArrayList<>();
    final Map<String, Integer> sessions = new ConcurrentHashMap<>();
    final List<JsonNode> frames = new CopyOnWriteArrayList<>();
    private final AtomicInteger sessionNumber = new AtomicInteger();
    private final RequestBody body = new RequestBody(ServeConfig.DEFAULT.http());

    static Map<String, Object> recommendation(String instruction) {
        Map<String, Object> parameters = new LinkedHashMap<>();
        parameters.put("department", "耳鼻喉科");
        parameters.put("appointment_time", "晚上10点");
        return Map.of(
                "instruction",
                instruction,
                "functions",
                List.of(Map.of("name", "book_medical_appointment", "parameters", parameters)));
    }

    @Override
    public void add(RoutesConfig routes) {
        routes.post("/v1/perceive", context -> {
            RequestFields fields = body.fields(context);
            ApiServer.answer(context, 200, perception(fields.list("trace").size(), tau(fields)));
        });
        routes.post("/v1/recommend", context -> {
            RequestFields fields = body.fields(context);
            asked.add(fields.object());
            recommend(context, fields.list("trace").size(), tau(fields), fields.flag("passive", false));
        });
        routes.post("/v1/users/{user}/feedback", context -> {
            ApiException refused = refusal;
            if (refused != null) {
                throw refused;
            }
            feedback.add(body.fields(context).object());
            String why = notKept;
            Map<String, Object> receipt = why == null ? Map.of("kept", true) : Map.of("kept", false, "why", why);
            ApiServer.answer(context, 200, "".equals(why) ? Map.of() : receipt);
        });
        addSessions(routes);
    }

    private void addSessions(RoutesConfig routes) {
        routes.post("/v1/sessions", context -> {
            body.fields(context).requiredText("profile");
            String id = "session-" + sessionNumber.incrementAndGet();
            sessions.put(id, 0);
            ApiServer.answer(context, 200, Map.of("id", id, "expires_in", 600));
        });
        routes.post("/v1/sessions/{id}/frames", context -> {
            frames.add(body.fields(context).object());
            int steps = Objects.requireNonNull(sessions.merge(session(context), 1, Integer::sum));
            Map<String, Object> answer = perception(steps, TAU);
            answer.put("steps", steps);
            ApiServer.answer(context, 200, answer);
        });
        routes.post("/v1/sessions/{id}/ask", context -> {
            question = body.fields(context).text("query");
            recommend(context, Objects.requireNonNull(sessions.get(session(context))), TAU, true);
        });
        routes.delete("/v1/sessions/{id}", context -> {
            sessions.remove(session(context));
            context.status(204);
        });
    }

    private String session(Context context) {
        String id = context.pathParam("id");
        if (!sessions.containsKey(id)) {
            throw ApiException.notFound(null, "unknown_session", "there is no session " + id);
        }
        return id;
    }

    private static double tau(RequestFields fields) {
        return fields.number("threshold", 0, 1, TAU);
    }

    private Map<String, Object> perception(int steps, double tau) {
        double p = Math.min(0.95, 0.15 + 0.12 * steps);
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("p_trigger", p);
        answer.put("trigger", p >= tau && silence == null);
        answer.put("threshold", tau);
        Map<String, Double> scenarios = new LinkedHashMap<>();
        CATALOG.names().forEach(name -> scenarios.put(scenarioPrefix + name, 0.9 / (1 + scenarios.size())));
        answer.put("scenarios", scenarios);
        answer.put("candidate_functions", candidates(p >= tau && silence == null));
        return answer;
    }

    private static List<String> candidates(boolean open) {
        Set<String> top = Set.copyOf(CATALOG.names().subList(0, 5));
        return open
                ? CATALOG.functionsOf(top, POOL).stream()
                        .map(FunctionSpec::name)
                        .toList()
                : List.of();
    }

    private void recommend(Context context, int steps, double tau, boolean passive) throws InterruptedException {
        ApiException refused = refusal;
        if (refused != null) {
            throw refused;
        }
        EventStream events = new EventStream(context);
        Map<String, Object> perception = perception(steps, tau);
        events.send("perception", perception);
        if (cut) {
            return;
        }
        ApiException failed = failure;
        if (failed != null) {
            events.send("error", failed.body());
            return;
        }
        boolean reasoned = passive || Boolean.TRUE.equals(perception.get("trigger"));
        if (reasoned) {
            for (String text : thinking) {
                pace.acquire();
                events.send("delta", Map.of("part", "thinking", "text", text));
            }
            events.send("delta", Map.of("part", "recommendations", "text", "[{\"instruction\": …}]"));
        }
        pace.acquire();
        events.send("result", result(perception, reasoned));
    }

    private Map<String, Object> result(Map<String, Object> perception, boolean reasoned) {
        Map<String, Object> result = new LinkedHashMap<>(perception);
        result.remove("trigger");
        String kept = Objects.requireNonNullElse(silence, "below-threshold");
        result.put("route", reasoned ? "reasoned" : "silent");
        result.put("response", reasoned ? "<thinking>" + String.join("", thinking) + "</thinking>" : null);
        result.put("recommendations", reasoned ? recommendations : List.of());
        result.put("finish", reasoned ? "stop" : null);
        result.put("cost", cost(reasoned));
        result.put("silence", reasoned ? null : kept);
        result.put("withheld", silence == null ? List.of() : List.of("world"));
        return result;
    }

    private static Map<String, Object> cost(boolean reasoned) {
        return Map.of(
                "prompt_tokens",
                reasoned ? 812 : 0,
                "new_tokens",
                reasoned ? 64 : 0,
                "flops",
                parts(5.2e6, reasoned ? 3.1e9 : 0, reasoned ? 0.9e9 : 0),
                "seconds",
                parts(2.2e-4, reasoned ? 0.31 : 0, reasoned ? 0.64 : 0));
    }

    private static Map<String, Double> parts(double fusion, double prefill, double decode) {
        Map<String, Double> parts = new LinkedHashMap<>();
        parts.put("frame_encoder", 0.0);
        parts.put("text_encoder", 0.0);
        parts.put("fusion", fusion);
        parts.put("prefill", prefill);
        parts.put("decode", decode);
        parts.put("total", fusion + prefill + decode);
        return parts;
    }
}
